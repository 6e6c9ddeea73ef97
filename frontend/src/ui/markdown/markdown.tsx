import { memo, useId, useMemo, useState } from 'react';
import { CodeBlock } from './code-block.tsx';
import { LiveContext } from './contexts.ts';
import { readFence } from './fence.ts';
import { hasFormula } from './math/formulas.ts';
import { Parsed, type ParsedProps } from './parsed.tsx';
import { createSplitter } from './split-blocks.ts';
import './markdown.css';
import { lazyPart } from '../lazy-part.tsx';

interface MarkdownProps {
  text: string;
  /** The text still grows at its end. */
  streaming?: boolean;
  /** It grows and has been silent for a second: a mark at its end shows that more is expected. */
  quiet?: boolean;
}

/**
 * Shows a reply. While it grows only the last block is read and drawn again; the others keep their elements. The text
 * is inert: no HTML, no script, no URL with a dangerous scheme, no image from other hosts.
 */
export const Markdown = memo(function Markdown({
  text,
  streaming = false,
  quiet = false,
}: MarkdownProps) {
  const [split] = useState(createSplitter);
  const { blocks, references } = useMemo(() => split(text), [split, text]);
  if (hasTooManyFences(blocks))
    return (
      <div className="markdown">
        <p className="md-plain">{text}</p>
      </div>
    );
  if (references && !streaming) return <WholeText text={text} />;
  return (
    <div className="markdown" data-quiet={quiet || undefined}>
      {groupsOf(blocks).map((group, i) => (
        <Group key={i} blocks={group} live={streaming && (i + 1) * GROUP_SIZE >= blocks.length} />
      ))}
    </div>
  );
});

/** Drawing so many code blocks takes most of a second; nobody writes them. */
const MAX_FENCES = 1_000;
const FENCE = /^ {0,3}(?:`{3}|~{3})/;

const hasTooManyFences = (blocks: readonly string[]): boolean =>
  blocks.length > MAX_FENCES && blocks.filter((block) => FENCE.test(block)).length > MAX_FENCES;

/** React visits every sibling of the block that changes. In groups, it visits few. */
const GROUP_SIZE = 16;

const groupsOf = (blocks: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(blocks.length / GROUP_SIZE) }, (_, i) =>
    blocks.slice(i * GROUP_SIZE, (i + 1) * GROUP_SIZE),
  );

interface GroupProps {
  blocks: readonly string[];
  /** The last block still grows. */
  live: boolean;
}

const Group = memo(
  ({ blocks, live }: GroupProps) =>
    blocks.map((block, i) => <Block key={i} text={block} live={live && i === blocks.length - 1} />),
  (a, b) =>
    a.live === b.live &&
    a.blocks.length === b.blocks.length &&
    a.blocks.every((block, i) => block === b.blocks[i]),
);

/** Link and footnote definitions reach over blocks, so a finished text that has them is read in one piece. */
function WholeText({ text }: { text: string }) {
  const id = useId();
  return (
    <div className="markdown">
      <WithMath text={text} idPrefix={`${id}-`} />
    </div>
  );
}

const Block = memo(function Block({ text, live }: { text: string; live: boolean }) {
  const fence = readFence(text);
  if (fence) {
    const { code, language, closed } = fence;
    return <CodeBlock code={code} language={language} growing={live && !closed} />;
  }
  return (
    <LiveContext value={live}>
      <WithMath text={text} live={live} />
    </LiveContext>
  );
});

/** Without its code, formulas are shown as they are written. */
const MathText = lazyPart<ParsedProps>(
  async () => (await import('./math/math-text.tsx')).MathText,
  { missing: 'fallback' },
);

function WithMath(props: ParsedProps) {
  if (!hasFormula(props.text)) return <Parsed {...props} />;
  return <MathText fallback={<Parsed {...props} />} {...props} />;
}
