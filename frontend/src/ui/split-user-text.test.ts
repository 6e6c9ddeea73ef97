import { describe, expect, it } from 'vitest';
import { seededRandom } from './markdown/documents.fixture.ts';
import { splitUserText } from './split-user-text.ts';

const joined = (text: string) =>
  splitUserText(text)
    .map((section) => section.text)
    .join('');

const kinds = (text: string) => splitUserText(text).map(({ kind, text: part }) => [kind, part]);

const PIECES = [
  '\n',
  '\r\n',
  ' ',
  '    ',
  '# ',
  '> ',
  '1. ',
  '\t',
  ...'` `` ``` ~~~ ```` \\ \\_ * ** _ # - | --- [x]( ) ( ] <b> &amp; & $x$ . , : !'.split(' '),
  ...'https:// http://a.b https://x.org/(y) word C:\\dir\\_new_ שלום 👩‍👩‍👧 \ud83d \u200f'.split(
    ' ',
  ),
];

describe('the text of a user', () => {
  it('is kept character for character', () => {
    for (let seed = 1; seed <= 3_000; seed++) {
      const random = seededRandom(seed);
      const next = (limit: number) => Math.floor(random() * limit);
      const text = Array.from({ length: next(40) }, () => PIECES[next(PIECES.length)]).join('');
      expect(joined(text)).toBe(text);
    }
  });

  it('is plain text where Markdown would see headings, lists, escapes and emphasis', () => {
    const text = '# not a heading\nC:\\dir\\_new_\n* one\n1. two\n\\*three\\* <b>&amp;</b>';
    expect(kinds(text)).toEqual([['text', text]]);
  });

  it('has links for URLs, without the punctuation of the sentence', () => {
    expect(kinds('See https://a.example/b_(c)?d=1, or (http://e.example).')).toEqual([
      ['text', 'See '],
      ['link', 'https://a.example/b_(c)?d=1'],
      ['text', ', or ('],
      ['link', 'http://e.example'],
      ['text', ').'],
    ]);
    expect(kinds('javascript:alert(1) xhttps://a https://.')).toEqual([
      ['text', 'javascript:alert(1) xhttps://a https://.'],
    ]);
  });

  it('has inline code, and no link within it', () => {
    expect(kinds('run `curl https://a.example` now, not ``this``')).toEqual([
      ['text', 'run '],
      ['code', '`curl https://a.example`'],
      ['text', ' now, not ``this``'],
    ]);
  });

  it('has fenced code, with its fences visible', () => {
    expect(kinds('before\n```ts\nconst a = `b`;\n```\nafter')).toEqual([
      ['text', 'before\n'],
      ['opening', '```ts\n'],
      ['block', 'const a = `b`;\n'],
      ['closing', '```\n'],
      ['text', 'after'],
    ]);
  });

  it('ends a code block only at a fence of the same kind and at least the same length', () => {
    expect(kinds('````\n```\n~~~~\n`````')).toEqual([
      ['opening', '````\n'],
      ['block', '```\n~~~~\n'],
      ['closing', '`````'],
    ]);
  });

  it('is split in linear time, even for adversarial input', () => {
    for (const piece of ['`', 'https://', 'https://a.b(', '```\n', '` a', '(', '\\']) {
      const text = piece.repeat(Math.ceil(200_000 / piece.length));
      expect(joined(text)).toBe(text);
    }
  });
});
