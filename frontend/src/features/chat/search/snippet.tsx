import type { SearchResult } from '@stolas/backend/contract';

/** Text of a message with the words of the search marked. */
export function Snippet({ result: { snippet, matches } }: { result: SearchResult }) {
  const ends = matches.map(({ end }) => end);
  return (
    <>
      {matches.map(({ start, end }, at) => (
        <span key={start}>
          {snippet.slice(ends[at - 1] ?? 0, start)}
          <mark className="rounded-xs bg-accent/30 text-ink">{snippet.slice(start, end)}</mark>
        </span>
      ))}
      {snippet.slice(ends.at(-1) ?? 0)}
    </>
  );
}
