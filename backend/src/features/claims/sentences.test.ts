import { describe, expect, it } from 'vitest';
import { sentencesOf } from './sentences.ts';

const shown = (text: string) => sentencesOf(text).map((sentence) => sentence.text);
const sliced = (text: string) => sentencesOf(text).map(({ start, end }) => text.slice(start, end));

describe('sentencesOf', () => {
  it('cuts paragraphs into sentences with exact places', () => {
    const text = 'The rent is 900 euros. It rises\nby 3% a year.\n\nPets need consent.';
    expect(shown(text)).toEqual([
      'The rent is 900 euros.',
      'It rises by 3% a year.',
      'Pets need consent.',
    ]);
    expect(sliced(text)).toEqual([
      'The rent is 900 euros.',
      'It rises\nby 3% a year.',
      'Pets need consent.',
    ]);
  });

  it.each([
    ['a fenced block', 'It is so.\n\n```js\nThe rent is 900.\n```\n\nIt ends here.'],
    [
      'a fence of another length',
      'It is so.\n\n````\n```\nThe rent is 900.\n```\n````\nIt ends here.',
    ],
    ['a fence in a list', 'It is so.\n\n- ~~~\n  The rent is 900.\n  ~~~\n\nIt ends here.'],
    ['indented code', 'It is so.\n\n    The rent is 900.\n\nIt ends here.'],
    ['headings', '# The rent is 900\n\nIt is so.\n\nThe rent is\n===\n\nIt ends here.'],
    ['questions', 'Is the rent 900? It is so. “Is it 900?”\n\nIt ends here.'],
    ['rules and pictures', 'It is so.\n\n---\n\n![The rent is 900](/x.png)\n\nIt ends here.'],
    ['single words', 'Yes.\n\nIt is so.\n\nDone.\n\nIt ends here.'],
  ])('leaves out %s', (_, text) => {
    expect(shown(text)).toEqual(['It is so.', 'It ends here.']);
  });

  it('takes list items and table cells as separate sentences', () => {
    const text =
      '- The rent is 900\n- [x] Pets need consent\n\n1. The flat is old\n\n| Item | Costs |\n| --- | --- |\n| The rent | 900 euros |';
    expect(shown(text)).toEqual([
      'The rent is 900',
      'Pets need consent',
      'The flat is old',
      'The rent',
      '900 euros',
    ]);
  });

  it('shows no marks of Markdown and no links, and keeps places', () => {
    const source = `#source=${'a'.repeat(24)},3,0,9`;
    const text = `The **rent** is \`900\` euros [1](${source}). See [the lease](https://a.b/c.d) for *more*.`;
    expect(shown(text)).toEqual(['The rent is 900 euros.', 'See the lease for more.']);
    expect(sliced(text)[0]).toBe(`The **rent** is \`900\` euros [1](${source}).`);
  });

  it('cuts a paragraph of abbreviations, which would be one sentence of any length', () => {
    const sentences = sentencesOf(`The rates are ${'1. '.repeat(10_000)}`);
    expect(sentences.length).toBeGreaterThan(5);
    for (const { text } of sentences) expect(text.length).toBeLessThanOrEqual(4_000);
  });

  it.each(['It is Dr. Smith who signs.', 'It costs approx. 900 euros.', 'It ends on 3. May 2026.'])(
    'does not cut %s',
    (text) => {
      expect(shown(text)).toEqual([text]);
    },
  );

  it('reads quotes and languages without spaces', () => {
    expect(shown('> The rent is\n> 900 euros.')).toEqual(['The rent is 900 euros.']);
    expect(sliced('猫が好きです。犬も好きです。')).toEqual(['猫が好きです。', '犬も好きです。']);
  });

  it('every place matches its text, for any text', () => {
    const pieces = [
      'The rent',
      ' is 900',
      '. ',
      '\n',
      '\n\n',
      '- ',
      '> ',
      '`a`',
      '**',
      '# ',
      '| ',
      '?',
      '🦉',
      '```\n',
      '[1](#source=a)',
      '1. ',
      'é',
      '    ',
    ];
    for (let seed = 1; seed < 800; seed += 1) {
      let state = seed;
      const next = () => (state = (state * 48_271) % 2_147_483_647);
      const text = Array.from({ length: 25 }, () => pieces[next() % pieces.length]).join('');
      let last = 0;
      for (const sentence of sentencesOf(text)) {
        expect(sentence.start).toBeGreaterThanOrEqual(last);
        last = sentence.end;
        const letters = (value: string) => value.match(/[\p{L}\p{N}]/gu)?.join('');
        const slice = text.slice(sentence.start, sentence.end).replace(/\[1\]\(#source=a\)/g, '');
        expect(letters(slice)).toBe(letters(sentence.text));
      }
    }
  });
});
