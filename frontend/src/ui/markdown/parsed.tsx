import { memo } from 'react';
import { type Extension, renderBlock, renderMarkdown } from './render.ts';
import { isTooDeep } from './too-deep.ts';

/** In UTF-16 code units: parsing and drawing a longer text in one piece takes seconds. */
const MAX_LENGTH = 100_000;

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
  if (text.length > MAX_LENGTH || isTooDeep(text)) return <p className="md-plain">{text}</p>;
  return idPrefix
    ? renderMarkdown(text, { idPrefix, extension })
    : renderBlock(text, { live, extension });
});
