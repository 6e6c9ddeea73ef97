import { describe, expect, it } from 'vitest';
import { findVerbatim } from './verbatim.ts';

/** A contract as a file has it: prose, lists, tables in Markdown and HTML, hyphens of line ends. */
const LEASE = `4.2 Rent
The rent is 900 euros a month. The tenant pays it on the third working day of each month, not later. The landlord may not raise the rent before 1 May 2027, unless both parties agree in writing.
1. The deposit is three months’ rent.
2. The landlord keeps it in a long-term account.
3. Interest belongs to the tenant.
• Keys are handed over on 3 May 2026.
• Pets may be kept with written consent.
The heating costs are paid by the land-
lord until the end of the re-letting period. Weighted–average cost is 2.5 percent.
| Year | Revenue | Costs |
| --- | ---: | ---: |
| 2024 | 1,250 | 900 |
| 2025 | 1,410 | 955 |
<table><tr><td>Floor</td><td>Second floor</td></tr><tr><td>Rooms</td><td>four <b>large</b> rooms</td></tr></table>
Zejiang Shen1 ( ), Ruochen Zhang2, Melissa Dell3 and Benjamin Lee4 signed as witnesses¹ of both sides.
Anna Weber said: “We will not leave before June.” She paid the ﬁnal oﬀer in full.
ينص العقد على اإلخطار قبل ثلاثة أشهر.
Die Wohnfläche beträgt 84 m². Der Mieter haftet nicht für Schäden, die der Vermieter verursacht hat.
The key deposit is refundable. Fees are not refundable after 30 days. The cat may be kept in the flat.`;

describe('a quotation as a reader prints it', () => {
  it.each([
    ['the same words', 'The rent is 900 euros a month.'],
    ['a part of a sentence', 'on the third working day of each month'],
    ['two sentences', 'The rent is 900 euros a month. The tenant pays it on the third working day'],
    ['the first letter in lower case', 'the rent is 900 euros a month'],
    ['the first letter in lower case, inside', 'pets may be kept with written consent'],
    ['the first letter in upper case', 'On the third working day of each month'],
    ['the first letter in brackets', '[t]he rent is 900 euros a month'],
    ['the first letter in brackets, upper case', '[O]n the third working day of each month'],
    ['an omission', 'The tenant pays it […] of each month, not later.'],
    ['an omission in full stops', 'The tenant pays it [...] of each month'],
    [
      'an omission of sentences',
      'The rent is 900 euros a month. […] unless both parties agree in writing',
    ],
    [
      'an omission from inside a sentence, over one with a negation, into the next',
      'The key deposit is […] kept in the flat',
    ],
    ['an omission at the end', 'The rent is 900 euros a month […]'],
    ['an omission at the beginning', '[…] may be kept with written consent'],
    ['two omissions', 'The tenant pays it […] working day […] not later.'],
    ['a word in brackets', '[The owner] may not raise the rent before 1 May 2027'],
    ['a word in brackets inside', 'Interest belongs to [him]. Keys are handed over'],
    ['a pronoun in brackets', '[we] keep'.replace('[we] keep', '[We] may not raise the rent')],
    ['words of a table', '2024 1,250 900'],
    ['words of two rows', '2024 1,250 900 2025 1,410 955'],
    ['the head of a table and its first row', 'Year Revenue Costs 2024 1,250 900'],
    ['a row with its bars', '| 2025 | 1,410 | 955 |'],
    ['cells with one bar', '2025 | 1,410 | 955'],
    ['words of an HTML table', 'Floor Second floor'],
    ['formatted words of an HTML table', 'Rooms four large rooms'],
    ['a cell of an HTML table', 'four large rooms'],
    ['a hyphen at the end of a line', 'paid by the landlord until the end'],
    ['a hyphen that the quotation lacks', 'keeps it in a longterm account'],
    ['a hyphen that the file has at a word', 'end of the re-letting period'],
    ['a hyphen that the file has and the quotation lacks', 'end of the reletting period'],
    ['another dash', 'Weighted-average cost is 2.5 percent'],
    ['a dash that the quotation lacks', 'Weightedaverage cost'],
    ['names without their superscripts', 'Zejiang Shen, Ruochen Zhang, Melissa Dell and Benjamin'],
    ['a name with its superscript', 'Ruochen Zhang2, Melissa Dell3'],
    ['a word without the sign of its note', 'signed as witnesses of both sides'],
    ['items without their numbers', 'The deposit is three months’ rent. The landlord keeps it'],
    ['items with their numbers', '2. The landlord keeps it in a long-term account.'],
    ['items without their bullets', 'on 3 May 2026. Pets may be kept'],
    ['an item and the text before it', 'agree in writing. The deposit is three months'],
    ['straight apostrophes', "The deposit is three months' rent"],
    ['straight quote marks', 'said: "We will not leave before June."'],
    ['ligatures', 'paid the final offer in full'],
    ['lam-alef in reading order', 'ينص العقد على الإخطار قبل ثلاثة أشهر'],
    ['lam-alef as the file has it', 'العقد على اإلخطار'],
    ['a unit with its superscript', 'beträgt 84 m²'],
    ['German words', 'Der Mieter haftet nicht für Schäden'],
    ['a number of a section with its heading', '4.2 Rent The rent is 900 euros'],
    ['a heading without its number', 'Rent The rent is 900 euros'],
    ['white space and line ends', 'The  heating costs are\npaid by the landlord'],
  ])('keeps its marks: %s', (_, quote) => {
    expect(findVerbatim(LEASE, quote)).not.toBeNull();
  });

  it('has the place of its words in the file, marks included', () => {
    const found = (quote: string) => {
      const span = findVerbatim(LEASE, quote);
      return span && LEASE.slice(span.start, span.end);
    };
    expect(found('2024 1,250 900 2025')).toBe('2024 | 1,250 | 900 |\n| 2025');
    expect(found('paid by the landlord until')).toBe('paid by the land-\nlord until');
    expect(found('Zejiang Shen, Ruochen Zhang')).toBe('Zejiang Shen1 ( ), Ruochen Zhang');
    expect(found('the deposit is […] rent. The landlord')).toBe(
      'The deposit is three months’ rent.\n2. The landlord',
    );
    expect(found('على الإخطار قبل')).toBe('على اإلخطار قبل');
    expect(found('[The owner] may not raise')).toBe('may not raise');
  });
});

/** Sentences of the lease without marks, whose changed forms occur nowhere in it. */
const SENTENCES = [
  'The rent is 900 euros a month.',
  'The tenant pays it on the third working day of each month, not later.',
  'The landlord may not raise the rent before 1 May 2027, unless both parties agree in writing.',
  'The deposit is three months’ rent.',
  'The landlord keeps it in a long-term account.',
  'Interest belongs to the tenant.',
  'Keys are handed over on 3 May 2026.',
  'Pets may be kept with written consent.',
  'Weighted–average cost is 2.5 percent.',
  'She paid the ﬁnal oﬀer in full.',
  'Die Wohnfläche beträgt 84 m².',
  'Der Mieter haftet nicht für Schäden, die der Vermieter verursacht hat.',
];

const WORDS = /[\p{L}\p{M}’'-]{3,}/gu;
const replaceAt = (text: string, at: number, length: number, by: string) =>
  text.slice(0, at) + by + text.slice(at + length);

/** Wrong quotations of a sentence, by what was done to it. */
function* wrongOf(sentence: string, others: readonly string[]): Generator<[string, string]> {
  for (const { 0: number, index } of sentence.matchAll(/\d+/g)) {
    yield [
      'a changed number',
      replaceAt(sentence, index, number.length, String(Number(number) + 1)),
    ];
    yield ['a digit more', replaceAt(sentence, index, number.length, `${number}0`)];
    yield ['a number left out', replaceAt(sentence, index, number.length, '')];
  }
  const words = Array.from(sentence.matchAll(WORDS));
  for (const { 0: word, index } of words) {
    yield ['a swapped word', replaceAt(sentence, index, word.length, 'owls')];
    if (index > 0 && index + word.length < sentence.length - 1)
      yield ['a word left out', replaceAt(sentence, index, word.length, '')];
  }
  for (const { index } of words.slice(1, 4)) {
    yield ['a negation', replaceAt(sentence, index, 0, 'never ')];
    yield ['a negation in brackets', replaceAt(sentence, index, 0, '[not] ')];
    yield ['a number in brackets', replaceAt(sentence, index, 0, '[12] ')];
  }
  const parts = sentence.split(' ');
  yield ['the order reversed', parts.toReversed().join(' ')];
  yield ['two words exchanged', [parts[1], parts[0], ...parts.slice(2)].join(' ')];
  const half = Math.floor(parts.length / 2);
  yield [
    'parts in the other order',
    `${parts.slice(half).join(' ')} […] ${parts.slice(0, half).join(' ')}`,
  ];
  yield ['a word cut off', sentence.slice(2)];
  for (const other of others.slice(0, 3))
    yield ['unrelated parts joined', `${parts.slice(0, half).join(' ')} ${other}`];
}

const WRONG = [
  ...SENTENCES.flatMap((sentence, at) => [
    ...wrongOf(sentence, [...SENTENCES.slice(at + 2), ...SENTENCES.slice(0, at)]),
  ]),
  ['an omitted negation', 'The landlord may […] raise the rent before 1 May 2027'],
  ['an omitted negation', 'Der Mieter haftet […] für Schäden'],
  [
    'a negation omitted with the end of the sentence before',
    'The key deposit is […] refundable after 30 days',
  ],
  [
    'a negation omitted with the sentences that follow',
    'The landlord may […] The deposit is three months',
  ],
  ['a replaced negation', 'The landlord may [always] raise the rent before 1 May 2027'],
  ['a replaced number', 'The rent is [some] euros a month'],
  ['a bare ellipsis', 'The tenant pays it … of each month'],
  ['omissions in the other order', 'of each month […] The tenant pays it'],
  ['another column', '2024 1,410 900'],
  ['rows in the other order', '2025 1,410 955 2024 1,250 900'],
  ['a column left out', '2024 1,250 955'],
  ['another case inside', 'The Rent is 900 euros'],
  ['an abbreviation for a word', 'US rent is 900 euros'],
  ['another superscript', 'Ruochen Zhang3, Melissa Dell2'],
  ['another number of an item', '3. The landlord keeps it in a long-term account.'],
  ['a hyphen in the place of a space', 'The rent-is 900 euros'],
  ['a part of a hyphenated word at a line end', 'lord until the end of the rel'],
  ['nothing but brackets', '[…]'],
  ['single words around omissions', 'The […] euros […] writing'],
] as [string, string][];

it('has 200 wrong quotations or more', () => {
  expect(new Set(WRONG.map(([, quote]) => quote)).size).toBeGreaterThanOrEqual(200);
});

it('keeps no marks of a wrong quotation', () => {
  expect(WRONG.filter(([, quote]) => findVerbatim(LEASE, quote) !== null)).toEqual([]);
});
