import { render } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { hostileTexts } from '../../../../backend/test/hostile-texts.ts';
import { artifactsOf } from '../../features/chat/artifacts/find-artifacts.ts';
import { spokenSummary } from '../../features/chat/thread/spoken-summary.ts';
import { hideUnfinishedSource } from '../../features/files/citations/source-text.ts';
import { toRules } from '../../features/personas/editor/rules.ts';
import { splitUserText } from '../split-user-text.ts';
import { freshScanner, scanLine } from './block-scanner.ts';
import { readFence } from './fence.ts';
import { Markdown } from './markdown.tsx';
import { hasFormula, withMarkedFormulas } from './math/formulas.ts';
import { splitBlocks } from './split-blocks.ts';
import { isTooDeep } from './too-deep.ts';

// Nothing is timed: what takes the cube of its input, or the square of a long one, does not come to its end here.

/** A message of a user, and about the longest reply. */
const LENGTH = 32_000;

const replyOf = (text: string) => ({
  id: 'r',
  status: 'complete' as const,
  parts: [{ type: 'text' as const, text, n: 0 }] as never,
});

const FUNCTIONS: Record<string, (text: string) => unknown> = {
  formulas: (text) => [
    hasFormula(`a $ ${text}`),
    withMarkedFormulas(`a $ ${text.slice(0, 20_000)}`),
  ],
  blocks: (text) => splitBlocks(undefined, text),
  'a line': (text) => scanLine(freshScanner, text.replaceAll('\n', ' ')),
  'a fence': (text) => [readFence(text), readFence(`~~~${text}`)],
  'an artifact': (text) =>
    ['html', 'mermaid'].map((kind) => artifactsOf(replyOf(`~~~${kind}\n${text}\n~~~`))),
  'an artifact in a list': (text) =>
    artifactsOf(replyOf(`- ~~~html\n  ${text.replaceAll('\n', '\n  ')}\n  ~~~`)),
  'what is spoken': (text) => spokenSummary(replyOf(text)),
  'nested Markdown': isTooDeep,
  'text of a user': splitUserText,
  'a source that is not complete': hideUnfinishedSource,
  'rules of a persona': toRules,
};

describe('a hostile text of the greatest length comes to its end', () => {
  it.each(Object.entries(FUNCTIONS))(
    'as %s',
    (_, read) => {
      let texts = 0;
      for (const text of hostileTexts(LENGTH)) {
        read(text);
        texts += 1;
      }
      expect(texts).toBeGreaterThan(60);
    },
    120_000,
  );
});

const DEPTH = 2_500;
const nested = (open: string, close = '') => open.repeat(DEPTH) + close.repeat(DEPTH);

describe('Markdown that is nested too deep is shown as it is', () => {
  it.each([
    ['quotes', nested('> ')],
    ['quotes that are far from each other', nested('>  ')],
    ['quotes and tabs', nested('>\t')],
    ['items', nested('-   ')],
    ['numbers', nested('1.   ')],
    ['quotes and items', nested('> -   ')],
    ['footnotes', nested('[^1]: ')],
    ['footnotes in quotes', nested('> [^1]: - ')],
    ['emphasis', nested('*a ', 'c*')],
    ['emphasis of two kinds', nested('*a **b ', 'c** d*')],
    ['struck out emphasis', nested('_a ~~b ', 'c~~ d_')],
    ['emphasis between ends of another kind', nested('*a b_ ', 'c*')],
    ['emphasis between ends of another length', nested('*a b** ', 'c*')],
    ['emphasis between ends in code', nested('*a `b*` ', 'c*')],
    ['emphasis between ends in HTML', nested('*a <b c*> ', 'c*')],
    ['emphasis between ends in addresses', nested('*a [b](c*) ', 'c*')],
    ['emphasis in what looks like addresses', nested('](*a) ', 'c*')],
    ['emphasis between ends that are escaped', nested('*a b\\* ', 'c*')],
    ['pictures', nested('![a', '](/x)')],
    ['labels', nested('[')],
    ['ends of labels', nested('](')],
    ['ends of labels below much emphasis', `${'*a* '.repeat(20_000)}${'] '.repeat(900)}`],
  ])('as %s', (_, text) => {
    const { container } = render(<Markdown text={text} />);
    // Without the texts, which are long, in what a failure says.
    expect(container.querySelector('.md-plain')?.textContent?.trim() === text.trim()).toBe(true);
  });

  it.each([
    ['emphasis that ends', '**a** *b* ~~c~~ '.repeat(200)],
    ['emphasis within words', '一**二**三'.repeat(300)],
    ['items with code', '- `a` **b** [c](/d) *e*\n'.repeat(300)],
    ['labels that end', '[c] [1](#source=a,2,3) **b** '.repeat(200)],
    ['operators', '5 * 3 = 15, '.repeat(200)],
    ['words with underscores', 'one_two_three '.repeat(200)],
    ['beginnings in paragraphs of their own', '*a [b\n\n'.repeat(200)],
    ['half-open intervals in a table', `| n | range |\n|--|--|\n${'| 7 | (7, 8] |\n'.repeat(900)}`],
    ['half-open intervals in a list', '7. (7, 8]\n'.repeat(900)],
    ['ends in paragraphs of their own', 'a] b)\n\n'.repeat(200)],
  ])('unlike %s', (_, text) => {
    expect(isTooDeep(text)).toBe(false);
  });
});

describe('Markdown that takes seconds to draw is shown as it is', () => {
  it.each([
    ['more than 1,000 code blocks', '~~~\nowl\n~~~\n'.repeat(1_001)],
    ['a block of more than 100,000 characters', '- owl\n'.repeat(16_700)],
    ['so long a text with a footnote', `${'An owl.\n\n'.repeat(12_000)}[^1]: Hoot`],
  ])('%s', (_which, text) => {
    const { container } = render(<Markdown text={text} />);
    expect(container.textContent?.trimEnd()).toBe(text.trimEnd());
    expect(container.querySelectorAll('figure, li, section')).toHaveLength(0);
  });

  it('1,000 code blocks are drawn', () => {
    const { container } = render(<Markdown text={'~~~\nowl\n~~~\n'.repeat(1_000)} />);
    expect(container.querySelectorAll('figure')).toHaveLength(1_000);
  });
});
