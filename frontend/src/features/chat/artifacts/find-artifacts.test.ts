import { expect, it, vi } from 'vitest';
import { artifactKind, isPictured } from '../../../ui/artifact/artifact-kind.ts';
import { nestedFences } from '../../../ui/markdown/nested-fences.ts';
import { artifactsOf, artifactWith, versionsOf } from './find-artifacts.ts';

vi.mock('../../../ui/markdown/nested-fences.ts', { spy: true });

const reply = (id: string, text: string) => ({
  id,
  role: 'assistant' as const,
  parts: [{ type: 'text' as const, text }],
});
const fence = (language: string, code: string) => `\`\`\`${language}\n${code}\n\`\`\``;

it.each([
  ['html', '<p>', 'html'],
  ['HTML', '<p>', 'html'],
  ['svg', '<svg/>', 'svg'],
  ['xml', '\n<svg viewBox="0 0 1 1">', 'svg'],
  ['xml', '<feed>', undefined],
  ['mermaid', 'graph TD', 'mermaid'],
  ['ts', 'a', undefined],
])('a block of %s with %j is %s', (language, code, kind) => {
  expect(artifactKind(code, language)).toBe(kind);
});

it('lists the artifacts of a reply with their titles', () => {
  const text = [
    'Two:',
    fence('html', '<title>My <b>page</b></title>'),
    fence('ts', 'x'),
    fence('svg', '<svg/>'),
    fence('mermaid', 'pie\n  title Pets'),
  ].join('\n\n');
  expect(artifactsOf(reply('a', text)).map(({ index, title }) => [index, title])).toEqual([
    [0, 'My page'],
    [1, 'SVG'],
    [2, 'Pets'],
  ]);
});

it('takes artifacts with the same title, or the same place without one, as versions', () => {
  const path = [
    reply('a', `${fence('html', '<h1>Clock</h1>')}\n\n${fence('svg', '<svg id="1"/>')}`),
    reply('b', fence('svg', '<svg id="2"/>')),
    reply('c', `${fence('html', '<p>other</p>')}\n\n${fence('html', '<h1>clock</h1>!')}`),
  ];
  const [clock, drawing] = artifactsOf(path[0]!);
  const messages = path as unknown as Parameters<typeof versionsOf>[1];
  expect(versionsOf(clock!, messages).map(({ messageId }) => messageId)).toEqual(['a', 'c']);
  expect(versionsOf(drawing!, messages).map(({ code }) => code)).toEqual([
    '<svg id="1"/>',
    '<svg id="2"/>',
  ]);
});

it.each([
  ['its own title', '## Sky\n\n', '<svg viewBox="0 0 1 1">\n<title>Moon</title></svg>', 'Moon'],
  [
    'the heading before it',
    '# Night\n\n## The **sun**\n\nHere:\n\n',
    '<svg><circle><title>Core</title></circle></svg>',
    'The sun',
  ],
  ['a bold line before it', '**Option A:**\n\n', '<svg/>', 'Option A'],
  ['its kind', '', '<svg/>', 'SVG'],
])('a drawing is named by %s', (_name, before, code, title) => {
  expect(artifactsOf(reply('a', before + fence('svg', code)))[0]?.title).toBe(title);
});

it('finds the artifact of a block that is still written, and knows that it is', () => {
  const text = `${fence('svg', '<svg/>')}\n\n\`\`\`html\n<h1>Clock</h1>\n<p>ti`;
  const html = (code: string) => ({ code, language: 'html', growing: true });
  const svg = { code: '<svg/>', language: 'svg', growing: false };
  expect(artifactWith(reply('a', text), html('<h1>Clo'))).toMatchObject({
    index: 1,
    isClosed: false,
  });
  expect(artifactWith(reply('a', text), svg)).toMatchObject({ index: 0, isClosed: true });
  expect(artifactWith(reply('a', text), html('<h2>'))).toBeUndefined();
});

it.each([
  ['still open', '```svg\n<svg'],
  ['complete already, and another one follows', `${fence('svg', '<svg/>')}\n\n\`\`\`html\n<p>`],
])('finds the artifact of a block without text yet, which is %s', (_, rest) => {
  const text = `${fence('svg', '<svg id="1"/>')}\n\n${fence('html', '<p>')}\n\n${rest}`;
  const block = { code: '', language: 'svg', growing: true };
  expect(artifactWith(reply('a', text), block)?.index).toBe(2);
});

it('names an artifact inside a list by the heading before it, and counts it in the order of the text', () => {
  const text = [
    `1. Now:\n\n   ### Clock\n\n   \`\`\`svg\n   <svg/>\n   \`\`\`\n\n   ### Owl`,
    '> ```html\n> <p>\n>\n>  b',
    fence('svg', '<svg id="2"/>'),
  ].join('\n\n');
  expect(artifactsOf(reply('a', text))).toMatchObject([
    { index: 0, kind: 'svg', title: 'Clock', code: '<svg/>', isClosed: true, key: 'svg #0' },
    { index: 1, kind: 'html', title: 'Owl', code: '<p>\n\n b', isClosed: false },
    { index: 2, kind: 'svg', title: 'SVG', code: '<svg id="2"/>', key: 'svg #1' },
  ]);
});

it('parses only the last block again while a reply grows', () => {
  const first = '1. Clock\n\n   ```svg\n   <svg id="3"/>\n   ```';
  for (const end of ['> ```html', '> ```html\n> <p>', '> ```html\n> <p>\n> ```']) {
    expect(artifactsOf(reply('a', `${first}\n\n${end}`))[0]?.code).toBe('<svg id="3"/>');
  }
  const parsed = vi.mocked(nestedFences).mock.calls.filter(([block]) => block.includes('id="3"'));
  expect(parsed).toHaveLength(1);
});

it.each([
  ['<!doctype html><p>', true],
  ['<p>\n<script>', true],
  ['<a href="#">Up</a>', false],
])('a block of HTML with %j is shown as a picture: %j', (code, isShown) => {
  expect(isPictured('html', code)).toBe(isShown);
});
