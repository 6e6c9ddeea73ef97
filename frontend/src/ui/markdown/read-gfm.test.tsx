import { renderToStaticMarkup } from 'react-dom/server';
import ReactMarkdown, { type Options } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { expect, it } from 'vitest';
import { documents, lineSoup, seededRandom } from './documents.fixture.ts';
import { readGfm } from './read-gfm.ts';

const html = (markdown: string, remarkPlugins: Options['remarkPlugins']) =>
  renderToStaticMarkup(<ReactMarkdown remarkPlugins={remarkPlugins}>{markdown}</ReactMarkdown>);

it('parses Markdown as remark-gfm does', () => {
  const random = seededRandom(1);
  const texts = [
    ...Object.values(documents),
    ...Array.from({ length: 50 }, () => lineSoup(random)),
  ];
  for (const text of texts) expect(html(text, [readGfm])).toBe(html(text, [remarkGfm]));
  expect(html('~~a~~ www.example.com', [readGfm])).toContain('<del>a</del> <a href');
});
