import { t } from 'virtual:texts/viewer';
import type { FilePage } from '@stolas/backend/contract';
import { useMemo, useRef, useState } from 'react';
import { formatNumber } from '../../../lib/number.ts';
import { Button } from '../../../ui/button.tsx';
import type { FilePlace } from '../place.ts';
import { useMarkInView } from './use-mark-in-view.ts';

/** Rows that are shown at once; more come by a button. */
const ROWS = 300;

type Rows = NonNullable<FilePage['rows']>;
type Cell = Rows[number][number];

/** A cell that is not in the text of the page: nothing marks it. */
const unplaced = (text: string): Cell => ({ text, start: -1, end: -1 });

interface RowsTableProps {
  rows: Rows;
  /** The names of the columns; without them the first row has them. */
  columns: FilePage['columns'];
  place: FilePlace;
  /** Rem. */
  fontSize: number;
}

export function RowsTable({ rows, columns, place, fontSize }: RowsTableProps) {
  const scroller = useRef<HTMLElement>(null);
  const mark = useRef<HTMLTableCellElement>(null);
  const isMarked = ({ start, end }: Cell): boolean =>
    place.mark !== undefined && start < place.mark.end && end > place.mark.start;
  const header = columns ? columns.map(unplaced) : (rows[0] ?? []);
  const body = columns ? rows : rows.slice(1);
  const markedRow = body.findIndex((row) => row.some(isMarked));
  const { from, to, showEarlier, showLater } = useRange(body.length, markedRow);
  useMarkInView(scroller, mark, `${place.page} ${markedRow}`);
  const firstMark = rows.find((row) => row.some(isMarked))?.find(isMarked);
  const numeric = useMemo(() => numericColumns(columns ? rows : rows.slice(1)), [rows, columns]);
  const cellProps = (cell: Cell, column: number) => ({
    dir: 'auto' as const,
    ...(numeric.has(column) && { 'data-number': true }),
    ...(isMarked(cell) && { 'data-marked': true, 'aria-label': t('cited', { text: cell.text }) }),
    ...(cell === firstMark && { ref: mark }),
  });

  return (
    <section
      ref={scroller}
      aria-label={t('rows')}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard
      tabIndex={0}
      className="relative min-h-0 flex-1 overflow-auto overscroll-contain focus-visible:-outline-offset-2"
    >
      {from > 0 && <More count={from} label="showEarlier" onClick={showEarlier} />}
      <table
        style={{ fontSize: `${fontSize}rem` }}
        className="w-max min-w-full border-separate border-spacing-0 leading-snug [&_:is(td,th)]:max-w-80 [&_:is(td,th)]:border-r [&_:is(td,th)]:border-b [&_:is(td,th)]:border-line [&_:is(td,th)]:px-3 [&_:is(td,th)]:py-1.5 [&_:is(td,th)]:text-start [&_:is(td,th)]:align-top [&_:is(td,th)]:break-words [&_[data-number]]:text-right [&_[data-number]]:tabular-nums [&_[data-marked]]:bg-accent-soft [&_[data-marked]]:shadow-[inset_0_0_0_2px_var(--accent)]"
      >
        <thead>
          <tr>
            {header.map((cell, i) => (
              <th
                key={i}
                scope="col"
                {...cellProps(cell, i)}
                className="sticky top-0 z-10 bg-raised font-semibold"
              >
                {cell.text}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.slice(from, to).map((row, i) => (
            <tr key={from + i}>
              {row.map((cell, column) => (
                <td key={column} {...cellProps(cell, column)}>
                  {cell.text}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {to < body.length && <More count={body.length - to} label="showLater" onClick={showLater} />}
    </section>
  );
}

/** Digits with separators, a sign, and a currency or percent sign: '1,200.50', '−3', '€ 12', '45 %'. */
const NUMBER = /^[-+−(]?[$€£¥]?[\d.,' \u00a0\u202f]+[%$€£¥)]?$/u;

/** The columns whose cells are numbers, or empty. */
function numericColumns(body: Rows): ReadonlySet<number> {
  const textsOf = (column: number) =>
    body.map((row) => row[column]?.text.trim() ?? '').filter((text) => text !== '');
  const isNumeric = (column: number) => {
    const texts = textsOf(column);
    return texts.length > 0 && texts.every((text) => NUMBER.test(text) && /\d/.test(text));
  };
  const width = Math.max(0, ...body.map((row) => row.length));
  return new Set(Array.from({ length: width }, (_, column) => column).filter(isNumeric));
}

/** The rows below the header that are shown: those around the marked one, else the first. */
function useRange(length: number, markedRow: number) {
  const start = Math.max(0, markedRow - ROWS / 2);
  const initial = { key: markedRow, from: start, to: Math.min(length, start + ROWS) };
  const [range, setRange] = useState(initial);
  // Another mark is shown with its own surroundings.
  if (range.key !== markedRow) setRange(initial);
  return {
    from: range.from,
    to: range.to,
    showEarlier: () => setRange({ ...range, from: Math.max(0, range.from - ROWS) }),
    showLater: () => setRange({ ...range, to: Math.min(length, range.to + ROWS) }),
  };
}

interface MoreProps {
  count: number;
  label: 'showEarlier' | 'showLater';
  onClick: () => void;
}

const More = ({ count, label, onClick }: MoreProps) => (
  <div className="sticky left-0 w-fit p-2">
    <Button size="sm" variant="ghost" onClick={onClick}>
      {t(label, { shown: formatNumber(Math.min(count, ROWS)), count: formatNumber(count) })}
    </Button>
  </div>
);
