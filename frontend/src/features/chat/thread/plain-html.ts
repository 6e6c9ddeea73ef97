import { t as chat } from 'virtual:texts/chat';
import { t } from 'virtual:texts/markdown';
import type { Citation } from '@stolas/backend/contract';
import { pageNumber } from '../../../ui/page-number.ts';
import { isRightToLeft } from '../text-box.ts';

// The copy of a reply: its structure, without the colours and controls of the product.

/** Elements that are kept, without their attributes. */
const KEPT = new Set(
  'p h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code table thead tbody tr th td a strong em del br hr sub'.split(
    ' ',
  ),
);
const DROPPED =
  '.sr-only, [aria-hidden=true], [data-part=author], button, svg, style, script, .md-code-head, figcaption';

/** The HTML of a reply as it is shown, with the list of its sources. */
export function replyHtml(reply: Element, citations: readonly Citation[] = []): string {
  const parts = [...reply.children].filter((part) => !part.matches('[data-part=reasoning]'));
  const html = parts.map((part) => authorOf(part) ?? htmlOf(part)).join('');
  if (citations.length === 0) return html;
  const list = citations.map(({ n, fileName, page, pageLabel: label }) =>
    escape(chat('sourceLine', { n, fileName, page: pageNumber({ page, label }) })),
  );
  return `${html}<p>${list.join('<br>')}</p>`;
}

/** The name above a part of a panel; a selection has none. */
const authorOf = (part: Element): string | undefined =>
  part.matches('[data-part=author]')
    ? `<p><strong>${escape(part.querySelector('bdi')?.textContent ?? '')}</strong></p>`
    : undefined;

/** The HTML of what is selected in a thread. */
export function selectionHtml(range: Range): string {
  const container = range.commonAncestorContainer;
  const around = container instanceof Element ? container : container.parentElement;
  const html = contentOf(range.cloneContents());
  if (around?.closest('pre')) return `<pre><code>${html}</code></pre>`;
  return around?.closest('[data-role=user]') ? withLineBreaks(html) : html;
}

function htmlOf(node: Node): string {
  if (node instanceof Text) return escape(node.data);
  if (!(node instanceof Element)) return '';
  const source = sourceNumber(node) ?? formula(node) ?? checkbox(node) ?? picture(node);
  if (source !== undefined) return escape(source);
  if (node.matches(DROPPED)) return '';
  if (node.matches('.md-code')) return codeBlock(node);
  if (node.matches('[data-role=user]')) return `<p>${withLineBreaks(contentOf(node))}</p>`;
  const tag = node.localName;
  if (!KEPT.has(tag)) return contentOf(node);
  return `<${tag}${attributes(node)}>${tag === 'br' || tag === 'hr' ? '' : `${contentOf(node)}</${tag}>`}`;
}

const contentOf = (node: Node): string => [...node.childNodes].map(htmlOf).join('');

const codeBlock = (figure: Element): string => {
  const code = figure.querySelector('code');
  return code
    ? `<pre><code>${escape(code.textContent)}</code></pre>`
    : `<p>[${escape(t('diagram'))}]</p>`;
};

/** `[1]`, as in the copied text: the link means something only here. */
const sourceNumber = (node: Element): string | undefined =>
  node.matches('button[data-source], sup') ? `[${node.textContent}]` : undefined;

function formula(node: Element): string | undefined {
  if (!node.matches('.katex, .katex-display')) return undefined;
  const source = node.querySelector('annotation')?.textContent ?? node.textContent;
  return node.closest('.md-formula, .katex-display') ? `$$${source}$$` : `$${source}$`;
}

const checkbox = (node: Element): string | undefined =>
  node instanceof HTMLInputElement ? (node.checked ? '☑ ' : '☐ ') : undefined;

const picture = (node: Element): string | undefined =>
  node instanceof HTMLImageElement ? node.alt : undefined;

function attributes(node: Element): string {
  const href = node instanceof HTMLAnchorElement && /^(?:https?|mailto):$/.test(node.protocol);
  const start = node.getAttribute('start');
  return [
    href ? ` href="${escape(node.href)}"` : '',
    start && node.localName === 'ol' ? ` start="${escape(start)}"` : '',
    node.hasAttribute('dir') && isRightToLeft(node.textContent) ? ' dir="rtl"' : '',
  ].join('');
}

const withLineBreaks = (html: string): string => html.replaceAll('\n', '<br>');

const escape = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
