import { renderToStaticMarkup } from 'react-dom/server';
import ReactMarkdown from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { describe, expect, it } from 'vitest';
import { documents, lineSoup, seededRandom } from './documents.fixture.ts';
import { type SplitText, splitBlocks } from './split-blocks.ts';

/** micromark, unlike CommonMark, sees no list in an item other than the first after indented code. */
const PARSER_QUIRK = /^(?: {4}|\t).*\n+2\. /m;
const plugins = [remarkGfm];

function html(markdown: string): string {
  return renderToStaticMarkup(<ReactMarkdown remarkPlugins={plugins}>{markdown}</ReactMarkdown>);
}

function htmlOfBlocks(text: string): string {
  return splitBlocks(undefined, text)
    .blocks.map(html)
    .filter((part) => part !== '')
    .join('\n');
}

/** Every step of a stream cut at random, each beside what the same text gives at once. */
function* stream(text: string, random: () => number) {
  let split: SplitText | undefined;
  for (let end = 0; end < text.length; ) {
    end = Math.min(text.length, end + 1 + Math.floor(random() * 60));
    const sofar = text.slice(0, end);
    split = splitBlocks(split, sofar);
    yield { streamed: split, atOnce: splitBlocks(undefined, sofar) };
  }
}

describe('cutting markdown into blocks', () => {
  it.each(Object.entries(documents))('%s: any cuts lead to the same blocks', (_name, text) => {
    for (let seed = 1; seed <= 20; seed += 1) {
      for (const { streamed, atOnce } of stream(text, seededRandom(seed))) {
        expect(streamed).toEqual(atOnce);
      }
    }
  });

  it.each(Object.entries(documents))(
    '%s: the blocks hold every visible character',
    (_name, text) => {
      const visible = (part: string) => part.replaceAll(/\s/g, '');
      expect(visible(splitBlocks(undefined, text).blocks.join(''))).toBe(visible(text));
    },
  );

  it.each(Object.entries(documents))(
    '%s: block by block reads as the whole does',
    (_name, text) => {
      if (splitBlocks(undefined, text).references) return;
      expect(htmlOfBlocks(text)).toBe(html(text.replaceAll('\r\n', '\n')));
    },
  );

  it('renders random lines block by block as in one piece', () => {
    for (let seed = 1; seed <= 1500; seed += 1) {
      const text = lineSoup(seededRandom(seed));
      if (PARSER_QUIRK.test(text)) continue;
      const [blocks, whole] = [htmlOfBlocks(text), html(text)].map((part) =>
        part.replaceAll(/\s+\n/g, '\n').trimEnd(),
      );
      expect({ seed, text, blocks }).toEqual({ seed, text, blocks: whole });
    }
  });

  it('gives the same blocks for random lines however the stream is cut', () => {
    for (let seed = 1; seed <= 300; seed += 1) {
      const random = seededRandom(seed);
      for (const { streamed, atOnce } of stream(lineSoup(random), random)) {
        expect(streamed).toEqual(atOnce);
      }
    }
  });

  it('a text that was replaced instead of continued is cut afresh', () => {
    const before = splitBlocks(undefined, '```js\nlet a;\n');
    expect(splitBlocks(before, 'one\n\ntwo')).toEqual(splitBlocks(undefined, 'one\n\ntwo'));
  });

  it('says that a fence is open until it closes', () => {
    expect(splitBlocks(undefined, 'Look:\n```js\nlet a;').openFence).toBe(true);
    expect(splitBlocks(undefined, 'Look:\n```js\nlet a;\n```').openFence).toBe(false);
  });

  it('notices link and footnote definitions, but not inside a fence', () => {
    expect(splitBlocks(undefined, 'a [b]\n\n[b]: /c').references).toBe(true);
    expect(splitBlocks(undefined, 'a[^1]\n\n[^1]: note').references).toBe(true);
    expect(splitBlocks(undefined, '```\n[b]: /c\n```').references).toBe(false);
  });

  it('cuts an ordinary reply at every paragraph and fence', () => {
    const { blocks } = splitBlocks(
      undefined,
      '# A\n\none\n\n- x\n\n- y\n\ntwo\n```\nc\n\nd\n```\nend',
    );
    expect(blocks).toEqual(['# A', 'one', '- x\n\n- y', 'two', '```\nc\n\nd\n```', 'end']);
  });
});
