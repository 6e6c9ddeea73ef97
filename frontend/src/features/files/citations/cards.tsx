import { t } from 'virtual:texts/sources';
import type { Citation, InsightCard } from '@stolas/backend/contract';
import { Scale } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { language } from '../../../i18n/language.ts';
import { cn } from '../../../ui/cn.ts';
import { INSIGHT_CARD, Quote, SourceLine } from '../../../ui/insight-look.tsx';
import { openSource } from '../place.ts';
import { Passage } from './passage.tsx';

/** Text of a file and where it stands; without a place, only the text. */
export function QuoteCard({ card: { insight, citation } }: { card: InsightCard }) {
  const quote = (
    <Quote>
      <Passage text={insight} className="line-clamp-4 print:line-clamp-none" />
    </Quote>
  );
  if (!citation) return <div className={cn(INSIGHT_CARD, 'p-4')}>{quote}</div>;
  return (
    <OpenButton citation={citation} className={cn(INSIGHT_CARD, 'gap-2.5 p-4')}>
      {quote}
      <SourceLine {...citation} />
    </OpenButton>
  );
}

interface OpenButtonProps {
  citation: Citation;
  className: string;
  children: ReactNode;
}

/** Opens the viewer at the passage. */
const OpenButton = ({ citation, className, children }: OpenButtonProps) => (
  <button
    type="button"
    onClick={() => openSource(citation)}
    className={cn(
      'grid w-full min-w-0 content-start text-left transition-colors duration-150 ease-out hover:bg-hover',
      className,
    )}
  >
    {children}
  </button>
);

/** What several files say on one point, side by side. */
export function ComparisonCard({ comparison }: Required<Pick<InsightCard, 'comparison'>>) {
  const id = useId();
  const said = comparison.sides.map(({ citation, value }) =>
    t('sideSays', { file: citation.fileName, value }),
  );
  const sides = new Intl.ListFormat(language()).format(said);
  return (
    <section aria-labelledby={id} className={cn(INSIGHT_CARD, 'overflow-hidden')}>
      <div className="grid gap-1 p-4">
        <h3 id={id} className="flex items-center gap-2 font-semibold">
          <Scale aria-hidden="true" className="size-4 shrink-0 text-accent" />
          <bdi className="min-w-0 break-words">{comparison.topic}</bdi>
        </h3>
        <p dir="auto" className="break-words text-muted">
          {t('comparison', { topic: comparison.topic, sides })}
        </p>
      </div>
      <ul className="grid grid-cols-[repeat(auto-fit,minmax(min(13rem,100%),1fr))] gap-px border-t border-line bg-line">
        {comparison.sides.map(({ citation, value }, i) => (
          <li key={i} className="min-w-0 bg-surface">
            <OpenButton citation={citation} className="h-full gap-2 p-4">
              <bdi className="text-base leading-snug font-semibold break-words">{value}</bdi>
              <Passage
                text={citation.quote}
                className="line-clamp-3 text-muted print:line-clamp-none"
              />
              <SourceLine {...citation} />
            </OpenButton>
          </li>
        ))}
      </ul>
    </section>
  );
}
