import { sourceHref, sourcesAsNumbers, withSourceList } from '@stolas/backend/contract';
import { expect, it } from 'vitest';
import { hideUnfinishedSource } from './source-text.ts';

const fileId = 'a'.repeat(24);
const source = { fileId, page: 37, start: 120, end: 245 };
const link = (n: number) => `[${n}](${sourceHref(source)})`;

it('hides a citation at every point before its link is complete', () => {
  const text = `The rent is 2,400 euros ${link(12)}`;
  const start = text.indexOf('[');
  for (let end = start + 1; end < text.length; end += 1) {
    expect(hideUnfinishedSource(text.slice(0, end))).toBe('The rent is 2,400 euros ');
  }
  expect(hideUnfinishedSource(text)).toBe(text);
});

it('hides nothing else', () => {
  for (const text of ['a [link](https://example.org', 'a[i', '[1] and more', '- [x]']) {
    expect(hideUnfinishedSource(text)).toBe(text);
  }
});

it('writes a citation as its number', () => {
  expect(sourcesAsNumbers(`Due ${link(1)}, see [here](#source=x) too ${link(2)}.`)).toBe(
    'Due [1], see [here](#source=x) too [2].',
  );
});

it('copies a reply with the list of its sources', () => {
  const citation = { ...source, n: 1, fileName: 'contract.pdf', sha256: '', quote: 'q' };
  expect(withSourceList(`Due ${link(1)}.`, [citation])).toBe(
    'Due [1].\n\n[1] contract.pdf, page 37\n',
  );
  expect(withSourceList(`Due ${link(1)}.`, undefined)).toBe('Due [1].');
  expect(withSourceList('No source.', [citation])).toBe('No source.');
});
