import { t } from 'virtual:texts/landing';
import { rich } from '../../../i18n/rich.tsx';
import { cn } from '../../../ui/cn.ts';
import { INSIGHT_CARD, Quote, SourceLine } from '../../../ui/insight-look.tsx';
import type { Reveal } from './reveal.tsx';

// A conversation with two files as the product shows it, in the styles of its Markdown.

/** A list that stands in the catalogue as one text. */
export const linesOf = (text: string): string[] => text.split('\n');

export const fileNames = (): string[] => linesOf(t('fileNames'));

export const renderReply = (reveal: Reveal) => {
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
      </p>
    </>
  );
};

const SOURCE_PAGE = 7;
const sourceFile = () => fileNames()[1] ?? '';

/** The passage that the reply rests on. */
export const SourceCard = ({ className }: { className: string }) => (
  <div
    className={cn(
      INSIGHT_CARD,
      'mt-5 grid gap-2.5 p-4 transition-opacity duration-150 ease-out',
      className,
    )}
  >
    <Quote>{t('quote')}</Quote>
    <SourceLine fileName={sourceFile()} page={SOURCE_PAGE} />
  </div>
);

/** What the card says, for a reader who does not see it. */
export const sourceText = (): string =>
  t('source', { quote: t('quote'), file: sourceFile(), page: SOURCE_PAGE });
