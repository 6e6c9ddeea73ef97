import { type Document, Element, type ParentNode } from 'domhandler';
import { DomUtils } from 'htmlparser2';
import { elementsOf, type Parts, parseXml } from '../parts.ts';
import { paragraphOf, textRun } from './runs.ts';

/** Charts of a document, and series and categories of each, that are read. */
const MAX_CHARTS = 200;
const MAX_SERIES = 100;
const MAX_CATEGORIES = 1_000;

/** Writes the numbers of each chart of a document as a table below its paragraph. */
export function writeCharts(document: Document, parts: Parts): void {
  const targets = new Map(
    elementsOf(parseXml(parts.get('word/_rels/document.xml.rels')), 'Relationship').map(
      ({ attribs }) => [attribs.Id, `word/${attribs.Target ?? ''}`],
    ),
  );
  for (const reference of elementsOf(document, 'c:chart').slice(0, MAX_CHARTS)) {
    const xml = parts.get(targets.get(reference.attribs['r:id']) ?? '');
    const paragraph = paragraphOf(reference);
    if (!xml || !paragraph) continue;
    const { title, rows } = contentsOf(parseXml(xml));
    if (rows.length > 1) DomUtils.append(paragraph, tableOf(rows));
    if (title) DomUtils.append(paragraph, paragraphWith(title));
  }
}

/** The title of a chart, and a row for each category with the values of all series. */
function contentsOf(chart: Document): { title: string; rows: string[][] } {
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
  return { title: title ? textOf(title, 'a:t') : '', rows: [['', ...names], ...rows] };
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

const textOf = (node: ParentNode, name: string): string =>
  elementsOf(node, name)
    .map((text) => DomUtils.textContent(text))
    .join('')
    .trim();

const paragraphWith = (text: string): Element => new Element('w:p', {}, [textRun(text)]);

const tableOf = (rows: string[][]): Element =>
  new Element(
    'w:tbl',
    {},
    rows.map(
      (cells) =>
        new Element(
          'w:tr',
          {},
          cells.map((cell) => new Element('w:tc', {}, [paragraphWith(cell)])),
        ),
    ),
  );
