import { memo } from 'react';
import { type Extension, renderBlock, renderMarkdown } from './render.ts';
import { isTooLarge } from './too-deep.ts';

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
  if (isTooLarge(text)) return <p className="md-plain">{text}</p>;
  return idPrefix
    ? renderMarkdown(text, { idPrefix, extension })
    : renderBlock(text, { live, extension });
});
