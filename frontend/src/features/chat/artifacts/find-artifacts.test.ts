import { expect, it } from 'vitest';
import { artifactKind, isPictured } from '../../../ui/artifact/artifact-kind.ts';
import { artifactsOf, artifactWith, versionsOf } from './find-artifacts.ts';

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
  expect(artifactWith(reply('a', text), '<h1>Clo')).toMatchObject({ index: 1, isClosed: false });
  expect(artifactWith(reply('a', text), '<svg/>')).toMatchObject({ index: 0, isClosed: true });
  expect(artifactWith(reply('a', text), '<h2>')).toBeUndefined();
});

it.each([
  ['<!doctype html><p>', true],
  ['<p>\n<script>', true],
  ['<a href="#">Up</a>', false],
])('a block of HTML with %j is shown as a picture: %j', (code, isShown) => {
  expect(isPictured('html', code)).toBe(isShown);
});
