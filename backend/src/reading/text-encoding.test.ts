import iconv from 'iconv-lite';
import { expect, it } from 'vitest';
import { decodeText, isText } from './text-encoding.ts';

it.each([
  ['windows-1252', 'Umsatz in €: 4200 € – Größe der „Müller“ GmbH, für das Jahr 2025 geprüft…'],
  ['windows-1252', 'The “best” price – 42 € … it’s here™'],
  [
    'windows-1250',
    'Zażółć gęślą jaźń. Książka została wydana w Łodzi przez wydawnictwo. Dzień dobry, proszę pana',
  ],
  ['windows-1251', 'Привет, мир. Это обычный русский текст, в котором есть несколько слов.'],
  ['koi8-r', 'Привет, мир. Это обычный русский текст, в котором есть несколько слов.'],
  ['windows-1254', 'Şu anda İstanbul’da güneşli bir gün. Çocuklar bahçede oynuyor, değil mi? Işık'],
  ['shift_jis', 'こんにちは世界。これは日本語のテキストです。東京は大きい都市です。'],
  ['euc-jp', 'こんにちは世界。これは日本語のテキストです。東京は大きい都市です。'],
  ['gbk', '你好，世界。这是一个中文文本，用于测试编码的识别。'],
  ['big5', '你好，世界。這是一個中文文本，用於測試編碼的識別。'],
  ['euc-kr', '안녕하세요 세계. 이것은 한국어 텍스트입니다. 서울은 큰 도시입니다.'],
])('reads %s without a mark: %s', (encoding, text) => {
  expect(decodeText(iconv.encode(text, encoding))).toBe(text);
});

it.each([
  [['windows-1250', 'iso-8859-2'], 'Faktura nr 12/2025, termin płatności 14 dni.'],
  [['windows-1250', 'iso-8859-2'], 'Cena: 45 zł'],
  [['windows-1250', 'iso-8859-2'], 'Spotkanie o ósmej. Proszę zabrać książkę.'],
  [['windows-1250', 'iso-8859-2'], 'Praha, dne 5. května 2025'],
  [
    ['windows-1250', 'iso-8859-2'],
    'Jméno;Příjmení;Město\nJiří;Dvořák;Plzeň\nŠárka;Nováková;Děčín\n',
  ],
  [['windows-1250', 'iso-8859-2'], 'Őszi időjárás: hűvös, esős.'],
  [['windows-1254', 'iso-8859-9'], 'Kira bedeli aylık 1200 liradır.'],
  [['windows-1254', 'iso-8859-9'], 'Teşekkür ederim, görüşmek üzere.'],
  [['windows-1252'], 'Það er gott veður í Reykjavík.'],
  [['windows-1252'], 'Où êtes-vous ? Ça va très bien, merci.'],
  [['windows-1252'], 'naïve café résumé'],
  [['windows-1252'], 'Sete: il canone è di 900 €, così è più facile.'],
  [['windows-1252'], 'Wohnung: 5 m³ für 3 €, „Übergabe“ – Wort¹'],
  [['windows-1252'], 'The price is £5 – “cheap”, isn’t it?'],
])('reads a short text in any of %j: %s', (encodings, text) => {
  const read = encodings.map((encoding) => decodeText(iconv.encode(text, encoding)));
  expect(read).toEqual(encodings.map(() => text));
});

it.each(['utf-8', 'utf-16le', 'utf-16be', 'utf-32le', 'utf-32be'])(
  'reads %s with a byte order mark, and leaves the mark out',
  (encoding) => {
    const text = 'Grüße aus Köln, 10 € 🦉';
    expect(decodeText(iconv.encode(text, encoding, { addBOM: true }))).toBe(text);
  },
);

it.each([
  ['<?xml version="1.0" encoding="iso-8859-2"?><a>žluť</a>', 'iso-8859-2'],
  ['<html><head><meta charset="windows-1253"></head>Ώρα</html>', 'windows-1253'],
  ['<meta http-equiv="Content-Type" content="text/html; charset=Shift_JIS">東京', 'shift_jis'],
  ['<meta charset="iso-8859-1">“4200 €”', 'windows-1252'],
])('reads the encoding that a document declares: %s', (text, encoding) => {
  expect(decodeText(iconv.encode(text, encoding))).toBe(text);
});

it('believes valid UTF-8 rather than what a document declares', () => {
  const text = '<meta charset="windows-1251">Größe';
  expect(decodeText(Buffer.from(text))).toBe(text);
});

it('decides on the whole file', () => {
  const ascii = 'Name;City\n'.repeat(20_000);
  const late = iconv.encode(`${ascii}Jörg;Köln für 5 €\n`, 'windows-1252');
  expect(decodeText(late)?.slice(-18)).toBe('Jörg;Köln für 5 €\n');
});

it('reads UTF-8 with a broken character as UTF-8', () => {
  const text = 'Größe und Länge über fünf Öfen, schön für später, süß gewürzt';
  const cut = Buffer.concat([Buffer.from(text), Buffer.from('ä').subarray(0, 1)]);
  expect(decodeText(cut)).toBe(`${text}\uFFFD`);
});

it('takes a text with few control characters for a text, and bytes with many for none', () => {
  const text = `${'A line of a report. '.repeat(50)}\u0002`;
  expect(isText(Buffer.from(text))).toBe(true);
  expect(isText(Buffer.from(text), { strict: true })).toBe(false);
  const noise = Buffer.from(Array.from({ length: 2_000 }, (_, at) => (at * 7_919) % 251));
  expect(isText(noise)).toBe(false);
  expect(decodeText(noise)).toBeNull();
});
