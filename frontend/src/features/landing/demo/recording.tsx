import { cn } from '../../../ui/cn.ts';
import { INSIGHT_CARD, Quote, SourceLine } from '../../../ui/message-look.tsx';
import type { Reveal } from './reveal.tsx';

// A conversation with two files as the product shows it, in the styles of its Markdown.

export const FILES = ['lease-2021.pdf', 'lease-2026.pdf'];

export const QUESTION = 'What changed between these two leases?';

const COLUMNS = ['Clause', '2021', '2026'];
const ROWS = [
  ['Notice period', '3 months', '6 months'],
  ['Rent review', 'every 3 years', 'yearly, at most 4%'],
  ['Subletting', 'with consent', 'not allowed'],
];

export const renderReply = (reveal: Reveal) => (
  <>
    <p>{reveal.text('Three clauses changed, and one of them moves a date:')}</p>
    <div className="md-table">
      <table>
        <thead>
          <tr className={reveal.row()}>
            {COLUMNS.map((cell) => (
              <th key={cell}>{reveal.text(cell)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {ROWS.map((cells) => (
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
      {reveal.text('To leave at the end of the year you must now give notice by ')}
      <strong>{reveal.text('30 June')}</strong>
      {reveal.text(', three months earlier than before.')}
    </p>
  </>
);

const QUOTE =
  'Either party may end this lease at the end of a quarter by giving not less than six months’ notice in writing.';
const SOURCE = { fileName: 'lease-2026.pdf', page: 7 };

/** The passage that the reply rests on. */
export const SourceCard = ({ className }: { className: string }) => (
  <div
    className={cn(
      INSIGHT_CARD,
      'mt-5 grid gap-2.5 p-4 transition-opacity duration-150 ease-out',
      className,
    )}
  >
    <Quote>{QUOTE}</Quote>
    <SourceLine {...SOURCE} />
  </div>
);

/** What the card says, for a reader who does not see it. */
export const SOURCE_TEXT = `“${QUOTE}” ${SOURCE.fileName}, page ${SOURCE.page}.`;
