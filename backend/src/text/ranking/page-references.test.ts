import { expect, test } from 'vitest';
import { pageReferencesOf } from './page-references.ts';

test.each([
  ['What is on page 37?', [37]],
  ['what does p. 12 say', [12]],
  ['see pp. 3-5', [3, 4, 5]],
  ['pages 2 and 9', [2, 9]],
  ['pages 1, 4 and 7', [1, 4, 7]],
  ['the 3rd slide', [3]],
  ['slide 3 and page 8', [3, 8]],
  ['Was steht auf Seite 37?', [37]],
  ['Seiten 3 bis 5', [3, 4, 5]],
  ['auf der 3. Seite', [3]],
  ['Folie 12', [12]],
  ['página 4', [4]],
  ['à la page 6', [6]],
  ['na página 11', [11]],
  ['страница 8', [8]],
  ['第37页说了什么', [37]],
  ['37ページには何がありますか', [37]],
  ['37쪽', [37]],
  ['pages 1-5000', [1, 5000]],
  ['homepage 3', []],
  ['the year 2023 and 12 pages', []],
  ['stop 5', []],
])('%s names the pages %j', (question, pages) => {
  expect(pageReferencesOf(question).pages).toEqual(pages);
});

test('the rest of the question keeps no words of the reference', () => {
  expect(pageReferencesOf('costs on page 37 in Berlin').rest).toBe('costs on   in Berlin');
});
