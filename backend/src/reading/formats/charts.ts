import type { Document, ParentNode } from 'domhandler';
import { DomUtils } from 'htmlparser2';
import { elementsOf } from './parts.ts';

/** Series of a chart, and categories of each, that are read. */
const MAX_SERIES = 100;
const MAX_CATEGORIES = 1_000;

/** The title of an Office chart, and a row for each category with the stored values of all series; no rows when none are stored. */
export function chartOf(chart: Document): { title: string; rows: string[][] } {
  const [title] = elementsOf(chart, 'c:title');
  const series = elementsOf(chart, 'c:ser').slice(0, MAX_SERIES);
  const points = (name: string) => series.map((one) => pointsOf(one, name));
  const categories = [...points('c:cat'), ...points('c:xVal')].find(({ size }) => size > 0);
  const values = points('c:val').map((own, at) =>
    own.size > 0 ? own : pointsOf(series[at], 'c:yVal'),
  );
  const count = Math.max(0, ...[...values, categories].map((some) => some?.size ?? 0));
  const names = points('c:tx').map((name) => name.get(0) ?? '');
  const rows = Array.from({ length: Math.min(count, MAX_CATEGORIES) }, (_, at) => [
    categories?.get(at) ?? '',
    ...values.map((value) => value.get(at) ?? ''),
  ]);
  return {
    title: title ? textOf(title, 'a:t') : '',
    rows: rows.length > 0 ? [['', ...names], ...rows] : [],
  };
}

/** The stored values of a part of a series by their place. */
function pointsOf(series: ParentNode | undefined, name: string): Map<number, string> {
  const [holder] = series ? elementsOf(series, name) : [];
  return new Map(
    (holder ? elementsOf(holder, 'c:pt') : []).map((point) => [
      Number(point.attribs.idx),
      textOf(point, 'c:v'),
    ]),
  );
}

/** The paragraphs of DrawingML below a node: of a shape, or of a diagram of SmartArt in the order of its points. */
export const paragraphsOf = (node: ParentNode): string[] =>
  elementsOf(node, 'a:p')
    .map((paragraph) => textOf(paragraph, 'a:t'))
    .filter((text) => text !== '');

const textOf = (node: ParentNode, name: string): string =>
  elementsOf(node, name)
    .map((text) => DomUtils.textContent(text))
    .join('')
    .trim();
