import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import { cutAtHeadings } from './cut.ts';
import type { Extract } from './format.ts';
import { rejectDeepNesting, toMarkdown } from './markdown.ts';
import { textOf } from './text.ts';

/** When the article found by Readability has less than this share of the page's words, the whole page is used. */
const MIN_ARTICLE_SHARE = 0.4;

/** Web pages: the article, else the whole page; nothing is fetched and no script runs. */
export const readHtml: Extract = async function* (file) {
  const markdown = htmlToMarkdown(await textOf(file.path));
  yield* cutAtHeadings(markdown, { level: 2, minLength: 2_000 });
};

export function htmlToMarkdown(html: string): string {
  rejectDeepNesting(html);
  // A fragment has no body of its own.
  const { document } = parseHTML(
    /<body[\s>]/i.test(html) ? html : `<html><body>${html}</body></html>`,
  );
  for (const hidden of document.querySelectorAll(
    'script,style,noscript,template,iframe,object,svg',
  ))
    hidden.remove();
  const whole = document.body.innerHTML;
  const words = (document.body.textContent ?? '').trim().length;
  const title = document.title.trim();
  const article = new Readability(document).parse();
  const isWhole = (article?.textContent?.trim().length ?? 0) >= words * MIN_ARTICLE_SHARE;
  const body = toMarkdown((isWhole ? article?.content : null) ?? whole);
  return title && !body.includes(`# ${title}`) ? `# ${title}\n\n${body}` : body;
}
