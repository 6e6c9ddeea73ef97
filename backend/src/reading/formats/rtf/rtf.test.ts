import { describe, expect, it } from 'vitest';
import { createFiles } from '../../reading.fixture.ts';

const { read } = createFiles();

const textOf = async (rtf: string) =>
  (await read('a.rtf', Buffer.from(rtf, 'latin1'))).pages.map(({ text }) => text).join('');
const linesOf = async (body: string, head = '') =>
  (await textOf(`{\\rtf1\\ansi\\ansicpg1252\\deff0 ${head}\n${body}}`)).split(/\n+/);

const FONTS = String.raw`{\fonttbl{\f0\fcharset0 Times;}{\f1\fcharset128 Mincho;}{\f2\fcharset238 Times CE;}{\f3\fcharset204 Times Cyr;}}`;

describe('the characters of an RTF', () => {
  it.each([
    [String.raw`{\f1 \'82\'b1\'82\'f1\'83]\par}`, 'こんゾ'],
    [String.raw`{\f2 \'e8l\'e1nek\par}`, 'článek'],
    [String.raw`{\f3 \'ca\'eb\'e8\'e5\'ed\'f2\par}`, 'Клиент'],
    [String.raw`gr\'fc\'dfe \'80 4\par`, 'grüße € 4'],
  ])('have the code page of their font: %s', async (body, text) => {
    expect(await linesOf(body, FONTS)).toEqual([text]);
  });

  it('in Unicode come without what stands for them in older readers', async () => {
    expect(await linesOf(String.raw`\u8364? 4 \uc2\u24180\'94\'4e x\uc0\u23383 y\par`)).toEqual([
      '€ 4 年 x字y',
    ]);
    expect(await linesOf(String.raw`\u-10187?\u-8918?\par \u-10187? alone\par`)).toEqual([
      '𝔪',
      '\ufffd alone',
    ]);
  });

  it('do not come from a control word with the name of a member of every object', async () => {
    expect(await linesOf(String.raw`a \constructor b\par`)).toEqual(['a b']);
  });

  it('are those of the code page of the document when the font states none', async () => {
    expect(await textOf(String.raw`{\rtf1\ansi\ansicpg1251 \'cf\'f0\'e8\'e2\'e5\'f2\par}`)).toBe(
      'Привет',
    );
  });
});

it('reads headings, tables and the stored numbers of lists, but no hidden text or pictures', async () => {
  const lines = await linesOf(
    String.raw`{\info{\title Secret}}{\*\generator Me;}\pard\outlinelevel0 Lease\par\pard {\listtext 1.\tab}Rent\par {\listtext\'b7\tab}Owl\par{\v hidden}{\pict 00ff}{\b0\*\cs7 Shown}\par
\trowd\pard\intbl Year\cell Sum \{a\}\cell\row\trowd\intbl 2025\cell 4 < 5\cell\row\pard After\line more\par`,
  );
  expect(lines).toEqual([
    '# Lease',
    '1. Rent',
    '- Owl',
    'Shown',
    '| Year | Sum {a} |',
    '| --- | --- |',
    '| 2025 | 4 < 5 |',
    'After  ',
    'more',
  ]);
});

it('names pages with pictures and embedded objects as not read, each once', async () => {
  const unreadOf = async (body: string) =>
    (await read('a.rtf', Buffer.from(`{\\rtf1\\ansi Lease ${body} ends\\par}`, 'latin1'))).unread;
  const image = [{ kind: 'image', count: 1, pages: [1] }];
  expect(await unreadOf(String.raw`{\pict 00ff}`)).toEqual(image);
  expect(await unreadOf(String.raw`{\*\shppict{\pict 00ff}}{\nonshppict{\pict 00ff}}`)).toEqual(
    image,
  );
  expect(await unreadOf(String.raw`{\object{\*\objdata 00}{\result{\pict 00}}}`)).toEqual(image);
  expect(await unreadOf(String.raw`{\v {\pict 00ff}}{\nonshppict{\pict 00ff}}`)).toBeUndefined();
});

it('gives notes, comments, headers and footers after the text', async () => {
  const lines = await linesOf(
    String.raw`{\header Draft\par}{\footer Page\par}Rent{\super\chftn}{\footnote Net.}{\*\annotation Really?} due.\par`,
  );
  expect(lines).toEqual([
    'Rent[1] due.',
    '[1] Net.',
    'Comments:',
    'Really?',
    'Header:',
    'Draft',
    'Footer:',
    'Page',
  ]);
});

it('refuses groups that are nested too deep, and reads one that is cut off', async () => {
  await expect(textOf(`{\\rtf1 ${'{'.repeat(5_000)}`)).rejects.toMatchObject({
    code: 'too_complex',
  });
  expect(await textOf(String.raw`{\rtf1 One {\b two`)).toBe('One two');
});
