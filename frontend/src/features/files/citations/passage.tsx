import { cn } from '../../../ui/cn.ts';
import { type PassageBlock, passageBlocks } from './passage-blocks.ts';

/** Rows of a table that are shown. */
const MAX_ROWS = 5;

interface PassageProps {
  /** The text as it stands in the file. */
  text: string;
  /** Cuts off a long text. */
  className: string;
}

/** The text of a file, shortened to a few lines. Only phrasing elements, because it stands in buttons. */
export const Passage = ({ text, className }: PassageProps) => (
  <span dir="auto" className={cn('block', className)}>
    {passageBlocks(text).map((block, i) => (
      <Block key={i} block={block} />
    ))}
  </span>
);

const Block = ({ block }: { block: PassageBlock }) =>
  'text' in block ? (
    <span className="block break-words">{block.text}</span>
  ) : (
    <span className="table max-w-full">
      {block.rows.slice(0, MAX_ROWS).map((cells, row) => (
        <span key={row} className="table-row">
          {cells.map((cell, column) => (
            <span
              key={column}
              className={cn('table-cell pe-4 break-words', column > 0 && 'text-end tabular-nums')}
            >
              {cell}{' '}
            </span>
          ))}
        </span>
      ))}
    </span>
  );
