import { memo, useId, useMemo, useState } from 'react';
import ReactMarkdown from 'react-markdown';
import { CodeBlock } from './code-block.tsx';
import { elements, LiveContext } from './elements.tsx';
import { readFence } from './fence.ts';
import { remarkGfm } from './remark-gfm.ts';
import './markdown.css';
import { rehypeReply } from './rehype-reply.ts';
import { createSplitter } from './split-blocks.ts';

const remarkPlugins = [remarkGfm];
const rehypePlugins = [rehypeReply];
/** Nesting this deep is never intended, and parsing it takes seconds or overflows the stack. */
const TOO_DEEP = /(?:(?:>|[-*+] |\d{1,9}[.)] ) ?){100}|[*_]{200}|^[ \t]{200}\S/m;

interface MarkdownProps {
  text: string;
  /** The text still grows at its end. */
  streaming?: boolean;
}

/**
 * Shows a reply. While it grows only the last block is read and drawn again; the others keep their elements. The text
 * is inert: no HTML, no script, no URL with a dangerous scheme, no image from other hosts.
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
      <Parsed text={text} />
    </LiveContext>
  );
});

/** `idPrefix` keeps the footnotes of two replies on one page apart. */
const Parsed = memo(function Parsed({ text, idPrefix }: { text: string; idPrefix?: string }) {
  if (TOO_DEEP.test(text)) return <p className="md-plain">{text}</p>;
  return (
    <ReactMarkdown
      components={elements}
      remarkPlugins={remarkPlugins}
      rehypePlugins={rehypePlugins}
      {...(idPrefix && { remarkRehypeOptions: { clobberPrefix: idPrefix } })}
    >
      {text}
    </ReactMarkdown>
  );
});
