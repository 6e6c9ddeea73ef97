import { describe, expect, test } from 'vitest';
import { queryTermsOf, termsOf, wordsOf } from './terms.ts';

/** Whether a question finds a text: every term of it is a term of the text. */
const finds = (question: string, text: string) => {
  const terms = new Set(termsOf(text));
  return [...wordsOf(question)].every((word) => word.terms.every((term) => terms.has(term)));
};

describe('a text is found', () => {
  test.each([
    ['regardless of case', 'INVOICE', 'the invoice'],
    ['regardless of English endings', 'payments', 'she paid the payment'],
    ['by a code', 'A-113', 'Room A-113 is closed'],
    ['by a code that is written without its dash', 'A113', 'Room A-113 is closed'],
    ['by the number of a code', '113', 'Room A-113 is closed'],
    ['by a section', '§ 5', 'as §5 says'],
    ['by a section with a letter', '§5a', 'gemäß § 5a BGB'],
    ['by a number with separators', '1,234.56', 'a sum of 1.234,56 EUR'],
    ['by a number without separators', '1250', 'a rent of 1.250,00 EUR'],
    ['by a number without separators, in English', '4366', 'sales of $4,366 million'],
    ['by the year of a date', '2023', 'on 2023-05-17'],
    ['by a date', '2023-05-17', 'on 2023-05-17'],
    ['by a single digit', '7', 'chapter 7'],
    ['without diacritics', 'uber', 'Über uns'],
    ['with ß as ss', 'strasse', 'Hauptweg, Straße'],
    ['with composed and decomposed letters', 'cafe\u0301', 'café'],
    ['in full-width letters', 'ＡＢＣ', 'abc'],
    ['with ligatures', 'office', 'the oﬃce'],
    ['with soft hyphens', 'retirement', 'retire\u00adment'],
    ['with a possessive', 'Putin', 'Putin’s'],
    ['in Cyrillic letters', 'Ёлка', 'елка'],
    ['in Chinese, inside a longer word', '北京', '北京大学在哪里'],
    ['in Japanese', '東京', '東京都は日本の首都です'],
    ['in Katakana', 'データ', 'データを読む'],
    ['in Korean, with another ending', '보험료', '보험료는 매월'],
    ['in Thai', 'งบประมาณ', 'คณะกรรมการอนุมัติงบประมาณแล้ว'],
    ['in Hindi', 'भारत', 'भारत की राजधानी'],
    ['in Arabic, without vowel points', 'محمد', 'مُحَمَّد'],
  ])('%s', (_, question, text) => {
    expect(termsOf(question)).not.toEqual([]);
    expect(finds(question, text)).toBe(true);
  });
});

test('different words and numbers have different terms', () => {
  expect(finds('113', 'room 131')).toBe(false);
  expect(finds('3.2', 'version 32')).toBe(false);
  expect(finds('日本', '中国')).toBe(false);
});

test('words that differ by their diacritics only are told apart, with half of the weight', () => {
  expect(termsOf('tiền')).toEqual(['tien', '=tiền']);
  expect(termsOf('tiên')).toEqual(['tien', '=tiên']);
  expect(queryTermsOf(wordsOf('tiền giấy 7'))).toEqual([
    { term: 'tien', weight: 0.5 },
    { term: '=tiền', weight: 0.5 },
    { term: 'giai', weight: 0.5 },
    { term: '=giấy', weight: 0.5 },
    { term: '7', weight: 1 },
  ]);
});

test('a long text without word breaks is bounded work', () => {
  expect(termsOf('a'.repeat(200_000))).toHaveLength(1);
  expect(termsOf('1-'.repeat(50_000)).length).toBeLessThanOrEqual(50_000);
});
