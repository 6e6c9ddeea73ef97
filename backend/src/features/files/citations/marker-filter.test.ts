import { describe, expect, it, vi } from 'vitest';
import { closingFence } from '../../../text/markdown-code.ts';
import type { CitablePassage } from '../../context.ts';
import { cutPassages } from '../retrieval/passages.ts';
import { createMarkerFilter } from './marker-filter.ts';
import { readSourceLinks, withMarkers, withoutSourceLinks } from './source-links.ts';

const LEASE = 'a'.repeat(24);
const OFFER = 'b'.repeat(24);

const passage = (
  id: string,
  text: string,
  { fileId = LEASE, page = 3, start = 100 } = {},
): CitablePassage => ({
  id,
  fileId,
  fileName: fileId === LEASE ? 'lease.pdf' : 'offer.pdf',
  page,
  start,
  end: start + text.length,
  text,
});

const RENT = 'The rent is 900 euros a month. The deposit is three months’ rent.';
const passages = [
  passage('p1', RENT),
  passage('p2', 'A dog may be kept with written consent.', { start: 400 }),
  passage('p7', 'The offer is valid until 3 May 2026.', { fileId: OFFER, page: 1, start: 0 }),
];

/** The shown text of a reply that arrives in these pieces. */
function filtered(pieces: string[], { kept = '', before = '', given = passages } = {}): string {
  const filter = createMarkerFilter({ passages: given, kept, before });
  return pieces.map((piece) => filter.push(piece)).join('') + filter.end();
}
const filterWhole = (text: string, options = {}) => filtered([text], options);

const link = (n: number, place: string, fileId = LEASE) => `[${n}](#source=${fileId},${place})`;
const WHOLE_OFFER = link(1, '1,0,36', OFFER);

describe('createMarkerFilter', () => {
  it.each([['[p7]'], ['[P7]'], ['[ p7 ]'], ['【p7】'], ['\\[p7\\]']])(
    'replaces the marker %s by a link to its citation',
    (marker) => {
      expect(filterWhole(`It is valid until May ${marker}.`)).toBe(
        `It is valid until May ${WHOLE_OFFER}.`,
      );
    },
  );

  it.each(['[p1][p7]', '[p1, p7]', '[p1; p7]', '[p1-p7]'])(
    'replaces each marker of %s',
    (markers) => {
      expect(filterWhole(`Rent and offer ${markers}.`)).toBe(
        `Rent and offer ${link(1, '3,100,165')}${link(2, '1,0,36', OFFER)}.`,
      );
    },
  );

  it('cites the sentence of the passage that shares most words with the statement', () => {
    const start = 100 + RENT.indexOf('The deposit');
    expect(filterWhole('First this. The deposit is three months of rent. [p1]')).toBe(
      `First this. The deposit is three months of rent. ${link(1, `3,${start},165`)}`,
    );
  });

  it.each([
    [
      'a sentence over the lines of print',
      'About Nordwind\nAda Marsh, who joined the company in the year\n2015 after ten years in Kiel, leads the\nproject until May. Nobody objected.',
      'Ada Marsh, who joined the company in the year\n2015 after ten years in Kiel, leads the\nproject until May.',
    ],
    [
      'a line of a list, and not its neighbours',
      'The team, which meets\nweekly:\nAda Marsh leads the project until May\nBen Reed leads the office of the company in Portwell',
      'Ada Marsh leads the project until May',
    ],
    [
      'a row of a table, and not its neighbours',
      'Those who lead, for\nnow:\nAda Marsh, project until May 12 14\nBen Reed, project until June 13 15',
      'Ada Marsh, project until May 12 14',
    ],
  ])('cites %s', (_, text, cited) => {
    const shown = filterWhole('Ada Marsh leads the project until May [p1].', {
      given: [passage('p1', text, { start: 0 })],
    });
    const { links } = readSourceLinks(shown);
    expect(links.map(({ start, end }) => text.slice(start, end))).toEqual([cited]);
  });

  it('gives the same source the same number and others the next one', () => {
    const text = filterWhole('Valid [p7]. Rent of 900 euros a month [p1]. Valid [p7].');
    expect(readSourceLinks(text).links.map(({ n, fileId }) => [n, fileId])).toEqual([
      [1, OFFER],
      [2, LEASE],
      [1, OFFER],
    ]);
  });

  it('drops the marker of a passage that was not given, and the space before it', () => {
    expect(filterWhole('So it is [p99]. And more[p98] here')).toBe('So it is. And more here');
    expect(filterWhole('Valid [p99, p7].')).toBe(`Valid ${WHOLE_OFFER}.`);
  });

  it('keeps the marks of a quotation that occurs in the passage, and links to its place', () => {
    const start = 100 + RENT.indexOf('three');
    expect(filterWhole("It is “three months' rent” [p1].")).toBe(
      `It is “three months' rent” ${link(1, `3,${start},${start + 18}`)}.`,
    );
  });

  it('puts a sign that is not quoted behind the quotation', () => {
    const start = 100 + RENT.indexOf('three');
    expect(filterWhole('It is "three months’," [p1] see')).toBe(
      `It is "three months’", ${link(1, `3,${start},${start + 13}`)} see`,
    );
  });

  it('drops the marks of a quotation that occurs nowhere', () => {
    expect(filterWhole('It is “four months’ rent” [p1].')).toMatch(
      /^It is four months’ rent \[1\]\(#source=a{24},3,\d+,\d+\)\.$/,
    );
    expect(filterWhole('It is "four months" [p99].')).toBe('It is four months.');
  });

  it('finds a quotation in another given passage of the same file, and in two that join', () => {
    const start = 400;
    expect(filterWhole('“A dog may be kept” [p1]')).toBe(
      `“A dog may be kept” ${link(1, `3,${start},${start + 17}`)}`,
    );
    const joined = [passage('p1', 'one two three'), passage('p2', 'three four', { start: 108 })];
    expect(filterWhole('“two three four” [p2]', { given: joined })).toBe(
      `“two three four” ${link(1, '3,104,118')}`,
    );
    expect(filterWhole('“The offer is valid” [p1]')).toMatch(/^The offer is valid \[1\]/);
  });

  it('finds a quotation that goes on in the next passage, which begins after white space', () => {
    const before = 'The tenant pays the costs of the reno-';
    const after = 'vation.\n\n- Dogs are allowed.';
    const given = [
      passage('p1', before),
      passage('p2', after, { start: 100 + before.length + 2 }),
      passage('p3', 'Cats are not.', { start: 1_000 }),
      passage('p4', 'The roof is new.', { page: 4, start: 0 }),
    ];
    expect(filterWhole('“the costs of the renovation. Dogs” [p2]', { given })).toBe(
      `“the costs of the renovation. Dogs” ${link(1, '3,116,155')}`,
    );
    // What stands between is not known, or is the end of a page.
    for (const quote of ['Dogs are allowed. Cats are not', 'Cats are not. The roof is new'])
      expect(filterWhole(`“${quote}” [p3]`, { given })).not.toContain('“');
  });

  it('finds a quotation across any border of passages of a whole text', () => {
    const text = Array.from(
      { length: 90 },
      (_, at) => `Flat ${at} has ${at * 7} square metres and a cellar.`,
    ).join('\r\n\r\n');
    const cut = [...cutPassages([{ n: 3, text }], { overlap: 0 })];
    const given = cut.map(({ start, end }, at) =>
      passage(`p${at + 1}`, text.slice(start, end), { start }),
    );
    expect(given.length).toBeGreaterThan(2);
    for (const { end } of given.slice(0, -1)) {
      const quote = text.slice(end - 20, text.indexOf(' has', end)).replaceAll(/\s+/g, ' ');
      const { links } = readSourceLinks(filterWhole(`“${quote}” [p1]`, { given }));
      const cited = links.map(({ start, end }) => text.slice(start, end).replaceAll(/\s+/g, ' '));
      expect(cited).toEqual([quote]);
    }
  });

  it('finds a quotation that goes on on the next page, and links to its first part', () => {
    const end = 'The tenant pays the costs of the\n12';
    const pages = [
      passage('p1', `The rent is 900 euros. ${end}`),
      passage('p2', 'heating until May. Dogs are allowed.', { page: 4, start: 0 }),
      passage('p3', 'The roof is new.', { page: 5, start: 0 }),
    ];
    expect(filterWhole('“pays the costs of the heating until May” [p1]', { given: pages })).toBe(
      `“pays the costs of the heating until May” ${link(1, '3,134,155')}`,
    );
    // A sentence that ends with its page does not go on, and the other way round nothing does.
    for (const quote of ['Dogs are allowed. The roof is new', 'heating until May. The rent is'])
      expect(filterWhole(`“${quote}” [p2]`, { given: pages })).not.toContain('“');
  });

  it('compares a wrong quotation with a few passages of a page of 400,000 characters', () => {
    const paragraph = 'Größe und Höhe der Häuser, '.repeat(15_000).slice(0, 400_000);
    const long = Array.from({ length: 275 }, (_, at) =>
      passage(`p${at + 1}`, paragraph.slice(at * 1_400, at * 1_400 + 1_600), { start: at * 1_400 }),
    );
    const segment = vi.spyOn(Intl.Segmenter.prototype, 'segment');
    expect(filterWhole('“Größe und Häuser der Höhe” [p7]', { given: long })).not.toContain('“');
    const sizes = segment.mock.calls.map(([text]) => text.length);
    segment.mockRestore();
    // Segments are looked for in a few thousand characters, and never in a page at once.
    expect(Math.max(...sizes)).toBeLessThanOrEqual(4_100);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(100_000);
    expect(filterWhole('“Größe und Höhe der Häuser” [p7]', { given: long })).toContain('“');
  });

  it('links a quotation with several markers to the passage that has it', () => {
    expect(filterWhole('“valid until 3 May 2026” [p1] [p7]!')).toBe(
      `“valid until 3 May 2026” ${link(1, '3,100,165')} ${link(2, '1,13,35', OFFER)}!`,
    );
  });

  it('leaves other quotations as they are', () => {
    const text = 'Some say “yes”, others "no", and 5" is a size.\n“No end';
    expect(filterWhole(text)).toBe(text);
  });

  it('does not take inch marks for a quotation', () => {
    expect(filterWhole('A 5" disk and one of 6" [p7]')).toBe(
      `A 5" disk and one of 6" ${WHOLE_OFFER}`,
    );
  });

  it.each([
    'Use `[p7]` here',
    'Use ``a ` [p7]`` here',
    '```\n[p7] #source=\n```\n',
    '- ~~~js\n  a[p7]\n  ~~~\n',
    '~~~\n```\n[p7]\n~~~\n',
  ])('leaves code unchanged: %j', (text) => {
    expect(filterWhole(text)).toBe(text);
  });

  it.each([
    ['after a fence', '```\ncode\n```\nSo [p7]', '```\ncode\n```\nSo '],
    ['after a sign that opens no code', 'a ` b [p7]', 'a ` b '],
    ['after an escaped sign', '\\`a [p7]`', '\\`a ', '`'],
    ['after code on one line that looks like a fence', '```a``` [p7]', '```a``` '],
  ])('replaces markers %s', (_, text, before, after = '') => {
    expect(filterWhole(text)).toBe(before + WHOLE_OFFER + after);
  });

  it('unlinks a source link that the model wrote itself', () => {
    const forged = link(1, '1,0,9', OFFER);
    for (const text of [forged, forged.replace('#', '&#35;'), forged.replace('#source', '#SOURCE')])
      expect(filterWhole(text)).toBe(text.replace('=', ' ='));
    expect(filterWhole('a ` b [1](#source=b)')).toBe('a ` b [1](#source =b)');
    expect(filterWhole('[1](#sour[p99]ce=b)')).toBe('[1](#source =b)');
    expect(filterWhole('“#source=” [p7]')).toMatch(/^#source = \[1\]/);
    expect(filterWhole('https://a.b/?utm_source=c')).toBe('https://a.b/?utm_source=c');
  });

  it('makes no picture of a link', () => {
    expect(filterWhole('Wow![p7]')).toBe(`Wow! ${WHOLE_OFFER}`);
  });

  it('continues the numbers of earlier parts, but not their code', () => {
    const before = `Valid ${WHOLE_OFFER} and ${link(4, '9,0,5')}.\n\`\`\`js\n`;
    const dogs = link(5, '3,400,439');
    expect(filterWhole('[p7] and dogs [p2]', { before })).toBe(`${WHOLE_OFFER} and dogs ${dogs}`);
  });

  it('continues the numbers and the code of the text that is kept', () => {
    const kept = `Valid ${link(1, '1,0,36', OFFER)} and ${link(4, '9,0,5')} and \`${link(9, '9,0,5')}\` `;
    expect(filterWhole('[p7] and dogs [p2]', { kept })).toBe(
      `${link(1, '1,0,36', OFFER)} and dogs ${link(5, '3,400,439')}`,
    );
    expect(filterWhole('[p7]\n```\n[p7]', { kept: '```js\n' })).toBe(
      `[p7]\n\`\`\`\n${WHOLE_OFFER}`,
    );
    expect(filterWhole('=b)', { kept: '[1](#source' })).toBe(' =b)');
  });

  it('drops a marker that is not finished', () => {
    expect(filterWhole('So it is [p')).toBe('So it is');
    expect(filterWhole('“yes” [p7')).toBe('“yes”');
  });

  it('withholds no ordinary text', () => {
    const filter = createMarkerFilter({ passages, kept: '' });
    for (const piece of ['Hello', ' wor', 'ld (a', '), b[0] and don’t.', '\nNew line'])
      expect(filter.push(piece)).toBe(piece);
  });

  it('withholds a quotation for 600 characters or a line at most', () => {
    const filter = createMarkerFilter({ passages, kept: '' });
    expect(filter.push('“so')).toBe('');
    expect(filter.push('o'.repeat(600))).toBe(`“so${'o'.repeat(600)}`);
    expect(filter.push(' “so')).toBe(' ');
    expect(filter.push('\n')).toBe('“so\n');
  });

  it('shows no half of a character', () => {
    const filter = createMarkerFilter({ passages, kept: '' });
    expect(filter.push('a\ud83e')).toBe('a');
    expect(filter.push('\udd89b')).toBe('🦉b');
  });

  it('shows the same text however it is cut or continued', () => {
    for (let seed = 0; seed < 600; seed += 1) {
      const pick = numbers(seed);
      const text = Array.from({ length: 3 + pick(25) }, () => PIECES[pick(PIECES.length)]).join('');
      const whole = filterWhole(text);
      const pieces: string[] = [];
      for (let at = 0; at < text.length; ) {
        const length = 1 + pick(pick(4) === 0 ? 40 : 4);
        pieces.push(text.slice(at, at + length));
        at += length;
      }
      expect({ pieces, shown: filtered(pieces) }).toEqual({ pieces, shown: whole });
      expect({ text, shown: filtered(text.split('')) }).toEqual({ text, shown: whole });
    }
  });

  it('every shown link cites a given passage, and the text contains no other one', () => {
    for (let seed = 0; seed < 300; seed += 1) {
      const pick = numbers(seed + 10_000);
      const text = Array.from({ length: 20 }, () => PIECES[pick(PIECES.length)]).join('');
      for (const { fileId, page, start, end } of readSourceLinks(filterWhole(text)).links)
        expect(
          passages.some(
            (given) =>
              given.fileId === fileId &&
              given.page === page &&
              given.start <= start &&
              end <= given.end,
          ),
        ).toBe(true);
    }
  });
});

const PIECES = [
  'The rent ',
  'is 900 euros',
  '. ',
  '\n',
  '\n\n',
  ' ',
  '  ',
  '[p1]',
  '[p7]',
  ' [p2]',
  '[p99]',
  '[',
  ']',
  '[p',
  '7]',
  'p1',
  '“three months’ rent”',
  '“no such words”',
  '“',
  '”',
  '"',
  '„',
  '"valid until"',
  '`',
  '``',
  '```',
  '~~~',
  '\n```js\n',
  '- ',
  '> ',
  '1. ',
  '\\',
  '!',
  '#source=',
  '#sour',
  'ce=',
  link(1, '1,0,9', OFFER),
  '(',
  ')',
  '**',
  '🦉',
  'é',
  ', ',
  '[p1, p7]',
  '【p1】',
  '=',
];

describe('links to sources', () => {
  const text = `Valid ${WHOLE_OFFER}, “a dog” ${link(2, '3,402,405')} and ${link(3, '8,0,5')}.`;

  it('are left out of the history of a prompt', () => {
    expect(withoutSourceLinks(text)).toBe('Valid, “a dog” and.');
  });

  it('become markers again in a text that is to be continued', () => {
    expect(withMarkers(text, passages)).toBe('Valid [p7], “a dog” [p2] and.');
    expect(filterWhole(withMarkers(text, passages))).toBe(
      `Valid ${WHOLE_OFFER}, “a dog” ${link(2, '3,400,405')} and.`,
    );
  });

  it.each([
    ['Hoot.', ''],
    ['```js\nhoot()\n```\n', ''],
    ['```js\nhoot()', '\n```'],
    ['~~~~\nhoot\n', '~~~~'],
  ])('stand behind the block of code that %j leaves open, once it is closed', (text, closing) => {
    expect(closingFence(text)).toBe(closing);
    expect(readSourceLinks(`${text}${closing}\n\n${WHOLE_OFFER}`).links).toHaveLength(1);
  });

  it('in code are none', () => {
    const code = `\`${WHOLE_OFFER}\`\n\`\`\`\n${WHOLE_OFFER}\n\`\`\`\n`;
    expect(readSourceLinks(code).links).toEqual([]);
    expect(readSourceLinks(`${code}x${WHOLE_OFFER}`).links).toHaveLength(1);
  });
});

/** A generator of whole numbers below `limit`, the same for the same seed. */
function numbers(seed: number): (limit: number) => number {
  let state = seed + 1;
  return (limit) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % limit;
  };
}
