import { memo } from 'react';
import { type Extension, renderBlock, renderMarkdown } from './render.ts';

/** Nesting this deep is never intended, and parsing it takes seconds or overflows the stack. */
const TOO_DEEP = /(?:(?:>|[-*+] |\d{1,9}[.)] ) ?){100}|[*_]{200}|^[ \t]{200}\S/m;

export interface ParsedProps {
  text: string;
  live?: boolean;
  idPrefix?: string;
  extension?: Extension;
}

/** A text with its Markdown parsed, or as it is when it is nested too deep. */
export const Parsed = memo(function Parsed({
  text,
  live = false,
  idPrefix,
  extension,
}: ParsedProps) {
  if (TOO_DEEP.test(text)) return <p className="md-plain">{text}</p>;
  return idPrefix
    ? renderMarkdown(text, { idPrefix, extension })
    : renderBlock(text, { live, extension });
});
