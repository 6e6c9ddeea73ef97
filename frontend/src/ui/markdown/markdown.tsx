import { memo, useId, useMemo, useState } from 'react';
import { CodeBlock } from './code-block.tsx';
import { LiveContext } from './elements.tsx';
import { readFence } from './fence.ts';
import { renderBlock, renderMarkdown } from './render.ts';
import { createSplitter } from './split-blocks.ts';
import './markdown.css';

/** Nesting that no author means: parsing it takes seconds or overflows the stack. */
const TOO_DEEP = /(?:(?:>|[-*+] |\d{1,9}[.)] ) ?){100}|[*_]{200}|^[ \t]{200}\S/m;

interface MarkdownProps {
  text: string;
  /** The text still grows at its end. */
  streaming?: boolean;
}

/**
 * Shows a reply. While it grows only the last block is read and drawn again; the others keep their elements. Whatever
 * the text says is inert: no markup of its own, no script, no address of a dangerous scheme, no image from elsewhere.
 */
export const Markdown = memo(function Markdown({ text, streaming = false }: MarkdownProps) {
  const [split] = useState(createSplitter);
  const { blocks, references } = useMemo(() => split(text), [split, text]);
  if (references && !streaming) return <WholeText text={text} />;
  return (
    <div className="markdown">
      {blocks.map((block, i) => (
        <Block key={i} text={block} live={streaming && i === blocks.length - 1} />
      ))}
    </div>
  );
});

/** Link and footnote definitions reach over blocks, so a finished text that has them is read in one piece. */
function WholeText({ text }: { text: string }) {
  const id = useId();
  return (
    <div className="markdown">
      <Parsed text={text} idPrefix={`${id}-`} />
    </div>
  );
}

const Block = memo(function Block({ text, live }: { text: string; live: boolean }) {
  const fence = readFence(text);
  if (fence) return <CodeBlock {...fence} live={live} />;
  return (
    <LiveContext value={live}>
      <Parsed text={text} live={live} />
    </LiveContext>
  );
});

interface ParsedProps {
  text: string;
  live?: boolean;
  idPrefix?: string;
}

const Parsed = memo(function Parsed({ text, live = false, idPrefix }: ParsedProps) {
  if (TOO_DEEP.test(text)) return <p className="md-plain">{text}</p>;
  return idPrefix ? renderMarkdown(text, idPrefix) : renderBlock(text, live);
});
