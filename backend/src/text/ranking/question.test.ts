import { describe, expect, test } from 'vitest';
import { readQuestion } from './question.ts';

const read = (message: string, { previous = '', hasFiles = false } = {}) =>
  readQuestion({ message, previous, hasFiles });

const weightOf = (question: ReturnType<typeof read>, term: string) =>
  question.query.terms.find((entry) => entry.term === term)?.weight ?? 0;

describe('a request about a file as a whole is general', () => {
  test.each([
    'Summarise this file',
    'summarize',
    'What is in this file?',
    'translate it',
    'Translate the document to German',
    'Give me the key points',
    'Explain this',
    'tl;dr',
    'Worum geht es in dem Dokument?',
    'Fasse die Datei zusammen',
    'Übersetze das bitte ins Englische.',
    'Résume ce document',
    'De quoi parle ce fichier ?',
    'Resume el documento',
    'Riassumi il documento',
    'Resuma este arquivo',
    'Geef een samenvatting van het document',
    'Кратко перескажи документ',
    '总结这个文件',
    'このファイルを要約してください',
    'Summarise the contract',
    'Can you summarize the annual report for me?',
    'Compare the two reports',
    'Summarize the PDF in 5 bullet points',
    'Fasse den Mietvertrag in drei Sätzen zusammen',
    'Kannst du mir das Protokoll zusammenfassen?',
    'Vergleiche die beiden Verträge',
    'Résume ce rapport',
  ])('%s', (message) => {
    expect(read(message, { hasFiles: true }).isGeneral).toBe(true);
    expect(read(message).isGeneral).toBe(true);
  });

  test('also a question with nothing but the kind of an attached file', () => {
    expect(read('What is the report about?', { hasFiles: true }).isGeneral).toBe(true);
    const previous = 'What is the rent?';
    expect(read('In this contract?', { hasFiles: true, previous }).isGeneral).toBe(false);
  });

  test('also a message without words, when it attaches files', () => {
    expect(read('', { hasFiles: true }).isGeneral).toBe(true);
    expect(read('').isGeneral).toBe(false);
  });
});

describe('a question with a subject is searched', () => {
  test.each([
    'Summarise the chapter on risks',
    'What is the notice period?',
    'Who won the war?',
    'Wie hoch ist die Miete?',
    'What is on page 37?',
    '预算是多少？',
    'What is the contract price?',
    'Summarise section 5',
    'Summarise 2018',
    'Is the lease signed?',
  ])('%s', (message) => {
    expect(read(message, { hasFiles: true }).isGeneral).toBe(false);
  });
});

test('only stop words of the language of the question are left out', () => {
  expect(weightOf(read('When did the war end and how many men died?'), 'war')).toBe(1);
  expect(weightOf(read('Wann war das und wer hat es gesagt?'), 'war')).toBe(0);
});

test('a short question is combined with the previous one, which weighs less', () => {
  const question = read('And in Berlin?', { previous: 'What is the rent of an office in Paris?' });
  expect(weightOf(question, 'berlin')).toBe(1);
  expect(weightOf(question, 'rent')).toBeGreaterThan(0);
  expect(weightOf(question, 'rent')).toBeLessThan(1);
});

test('a long question stands alone', () => {
  const question = read('Which suppliers deliver copper cable to Hamburg?', {
    previous: 'What is the rent?',
  });
  expect(weightOf(question, 'rent')).toBe(0);
});

test('a request that names no file continues the previous question', () => {
  const previous = 'What is the rent of an office in Paris?';
  expect(read('Explain that in more detail', { previous }).isGeneral).toBe(false);
  expect(weightOf(read('Explain that in more detail', { previous }), 'rent')).toBeGreaterThan(0);
  expect(read('Summarise the whole file', { previous }).isGeneral).toBe(true);
  expect(read('And summarise the file', { previous }).isGeneral).toBe(true);
});

test.each(['And in the other document?', 'Und in der anderen Datei?', 'What about '])(
  'a question that only names another file is the previous one: %s',
  (message) => {
    const question = read(message, { previous: 'What is the rent?', hasFiles: true });
    expect(question.isGeneral).toBe(false);
    expect(weightOf(question, 'rent')).toBeGreaterThan(0);
  },
);

test('a task that says only how long its result is to be continues the previous question', () => {
  const previous = 'What is the rent of an office in Paris?';
  expect(read('Explain that in three sentences', { previous }).isGeneral).toBe(false);
});

test('a page of a short question keeps the subject of the previous one', () => {
  const question = read('and on page 40?', { previous: 'What is the rent?' });
  expect(question.query.pages).toEqual([40]);
  expect(weightOf(question, 'rent')).toBeGreaterThan(0);
  expect(weightOf(question, '40')).toBe(0);
});

test('the terms of a very long message are bounded', () => {
  const message = Array.from({ length: 5_000 }, (_, at) => `word${at}`).join(' ');
  expect(read(message).query.terms.length).toBeLessThanOrEqual(100);
});
