import { t } from 'virtual:texts/landing';
import { CircleX, MousePointer2 } from 'lucide-react';
import { rich } from '../../../i18n/rich.tsx';
import { cn } from '../../../ui/cn.ts';
import { INSIGHT_CARD, SourceLine } from '../../../ui/insight-look.tsx';
import { linesOf } from '../features/lines-of.ts';
import type { Reveal } from './reveal.tsx';
import { isAt, type Scene } from './use-playback.ts';

// A conversation with two files as the product shows it, in the styles of its Markdown.

export const fileNames = (): string[] => linesOf(t('fileNames'));

export const renderReply = (reveal: Reveal, scene: Scene = 'done') => {
  const [columns = [], ...rows] = linesOf(t('table')).map((line) => line.split(' | '));
  return (
    <>
      <p>{reveal.text(t('reply'))}</p>
      <div className="md-table">
        <table>
          <thead>
            <tr className={reveal.row()}>
              {columns.map((cell) => (
                <th key={cell}>{reveal.text(cell)}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((cells) => (
              <tr key={cells[0]} className={reveal.row()}>
                {cells.map((cell) => (
                  <td key={cell}>{reveal.text(cell)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p>
        {rich(t('deadline'), { b: (text) => <strong>{reveal.text(text)}</strong> }, reveal.text)}
        <SourceNumber scene={scene} />
      </p>
      <p className={cn(isAt('done', scene) && CONTRADICTED)}>{reveal.text(t('deposit'))}</p>
    </>
  );
};

const SOURCE_PAGE = 7;
const sourceFile = () => fileNames()[1] ?? '';

const CONTRADICTED = 'underline decoration-danger decoration-wavy underline-offset-4';
const FADE = 'transition-opacity duration-150 ease-out';

/** The number of the source, which the pointer clicks. */
const SourceNumber = ({ scene }: { scene: Scene }) => (
  <span className={cn('relative ms-1 inline-block', !isAt('pointing', scene) && 'invisible')}>
    <span className="inline-flex h-4.5 min-w-4.5 items-center justify-center rounded-full bg-cool-soft align-[0.2em] text-[0.6875rem] leading-none font-semibold text-cool">
      1
    </span>
    <MousePointer2
      className={cn(
        'absolute top-2 left-2 size-5 fill-ink text-ground motion-safe:animate-rise',
        scene !== 'pointing' && 'invisible',
      )}
    />
  </span>
);

/** The result of the check for the last sentence. */
export const Verdict = ({ scene }: { scene: Scene }) => (
  <p
    className={cn(
      'mt-2 flex items-center gap-1.5 text-sm text-muted',
      FADE,
      !isAt('done', scene) && 'opacity-0',
    )}
  >
    <CircleX className="size-4 shrink-0 text-danger" />
    {t('verdict')}
  </p>
);

/** The page that the number opens, with the passage marked. */
export const SourcePage = ({ scene }: { scene: Scene }) => (
  <div className={cn(INSIGHT_CARD, 'mt-5', FADE, !isAt('opened', scene) && 'opacity-0')}>
    <div className="border-b border-line px-4 py-2">
      <SourceLine fileName={sourceFile()} page={SOURCE_PAGE} />
    </div>
    <div className="grid gap-2 px-4 py-3 leading-relaxed">
      <Lines widths={['w-11/12', 'w-4/5']} />
      <p>
        <mark className="rounded-xs bg-accent/30 text-ink">{t('quote')}</mark>
      </p>
      <Lines widths={['w-full', 'w-3/5']} />
    </div>
  </div>
);

/** Filler text of the page. */
const Lines = ({ widths }: { widths: string[] }) =>
  widths.map((width) => <span key={width} className={cn('h-1.5 rounded-full bg-hover', width)} />);

/** The content of the card, for screen readers. */
export const sourceText = (): string =>
  t('source', { quote: t('quote'), file: sourceFile(), page: SOURCE_PAGE });
