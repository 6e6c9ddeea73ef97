import { memo, type ReactNode } from 'react';
import { splitUserText, type UserTextSection } from './split-user-text.ts';

/**
 * A text as the user typed it, character for character. Links can be clicked and code has a code font, with its
 * backticks visible; nothing else is formatted. Every line has its own direction.
 */
export const UserText = memo(function UserText({ text }: { text: string }) {
  return (
    <div
      dir="auto"
      className="min-w-0 text-start wrap-anywhere whitespace-pre-wrap [unicode-bidi:plaintext]"
    >
      {splitUserText(text).map((section, i) => (
        <Section key={i} {...section} />
      ))}
    </div>
  );
});

/** A code block that is not closed is the last section. */
const BLOCK = 'block bg-code px-3 font-mono text-sm last:rounded-b-sm last:pb-2';

function Section({ kind, text }: UserTextSection): ReactNode {
  if (kind === 'link') return <TypedLink url={text} />;
  if (kind === 'text') return text;
  const [Element, className] = CODE[kind];
  return (
    <Element dir="ltr" className={className}>
      {text}
    </Element>
  );
}

const CODE = {
  code: ['code', 'rounded-sm bg-code px-1 py-0.5 font-mono text-[0.875em]'],
  opening: ['span', `${BLOCK} mt-1 rounded-t-sm pt-2 text-muted`],
  block: ['code', BLOCK],
  closing: ['span', `${BLOCK} mb-1 rounded-b-sm pb-2 text-muted`],
} as const;

const TypedLink = ({ url }: { url: string }) => (
  <a
    href={url}
    target="_blank"
    rel="noopener noreferrer nofollow"
    className="rounded-sm text-cool underline decoration-1 underline-offset-[0.2em]"
  >
    {url}
  </a>
);
