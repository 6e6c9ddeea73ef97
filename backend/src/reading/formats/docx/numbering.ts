import type { ChildNode, Document, Element } from 'domhandler';
import { formatNumber } from '../list-numbers.ts';
import { childOf, elementsOf, isElement } from '../parts.ts';
import { prependRun, valueOf } from './runs.ts';

// Numbers of lists, clauses and headings. Word stores none of them: each is counted from the definitions (ECMA-376, 17.9).

interface Level {
  start: number;
  format: string;
  /** The number, with `%1` to `%9` for the numbers of the levels. */
  text: string;
  /** Whether the numbers of the levels above are decimal in any format. */
  isLegal: boolean;
  /** How many levels, from the first, restart this one. */
  restartLevels: number;
}

interface List {
  /** Lists of one definition continue each other. */
  definition: string;
  levels: Level[];
  /** The number at which this list restarts, by level. */
  restarts: Map<number, number>;
}

interface Place {
  list: string;
  level: number;
}

/** Levels of a list, from 0. */
const MAX_LEVEL = 8;
/** Characters of a number. */
const MAX_NUMBER_LENGTH = 200;
/** Styles that are based on each other. */
const MAX_STYLE_DEPTH = 50;

/**
 * Writes the number of each numbered paragraph into its text, and removes those levels from the definitions, so that a reader does not
 * number again. Bullets stay.
 */
export function writeNumbers(document: Document, numbering: Document, styles: Document): void {
  const lists = listsOf(numbering, styles);
  const placeOf = createPlaces(numbering, styles);
  const counters = new Map<string, (number | undefined)[]>();
  const begun = new Set<string>();
  for (const paragraph of elementsOf(document, 'w:p')) {
    const place = placeOf(paragraph);
    const list = place && lists.get(place.list);
    const level = list?.levels[place?.level ?? 0];
    if (!place || !list || !level || level.format === 'bullet') continue;
    const counts = counters.get(list.definition) ?? [];
    counters.set(list.definition, counts);
    const restart = begun.has(`${place.list} ${place.level}`)
      ? undefined
      : list.restarts.get(place.level);
    begun.add(`${place.list} ${place.level}`);
    count(counts, list, { level: place.level, restart });
    const number = numberOf(counts, list, place.level).trim();
    if (number) prependRun(paragraph, `${number} `);
  }
  for (const name of ['w:abstractNum', 'w:lvlOverride'])
    for (const holder of elementsOf(numbering, name))
      holder.children = holder.children.filter((child) => !isNumbered(child));
}

const isNumbered = (node: ChildNode): boolean =>
  isElement(node) && node.name === 'w:lvl' && valueOf(node, 'w:numFmt') !== 'bullet';

function count(
  counts: (number | undefined)[],
  { levels }: List,
  { level, restart }: { level: number; restart: number | undefined },
): void {
  // A skipped level counts as begun.
  for (let above = 0; above < level; above += 1) counts[above] ??= levels[above]?.start ?? 1;
  const before = counts[level];
  counts[level] = restart ?? (before === undefined ? (levels[level]?.start ?? 1) : before + 1);
  for (let below = level + 1; below < counts.length; below += 1)
    if (level < (levels[below]?.restartLevels ?? below)) counts[below] = undefined;
}

const numberOf = (counts: (number | undefined)[], { levels }: List, level: number): string =>
  (levels[level]?.text ?? '').replaceAll(/%([1-9])/g, (_, digit: string) => {
    const at = Number(digit) - 1;
    const format = levels[level]?.isLegal ? 'decimal' : (levels[at]?.format ?? 'decimal');
    return formatNumber(counts[at] ?? levels[at]?.start ?? 1, format);
  });

function listsOf(numbering: Document, styles: Document): Map<string, List> {
  const definitions = new Map(
    elementsOf(numbering, 'w:abstractNum').map((definition) => [
      definition.attribs['w:abstractNumId'] ?? '',
      { levels: levelsOf(definition), link: valueOf(definition, 'w:numStyleLink') },
    ]),
  );
  const nums = new Map(
    elementsOf(numbering, 'w:num').map((num) => [num.attribs['w:numId'] ?? '', num]),
  );
  const styleLists = new Map(
    elementsOf(styles, 'w:style').map((style) => [
      style.attribs['w:styleId'] ?? '',
      valueOf(numberingOf(style), 'w:numId'),
    ]),
  );
  return new Map(
    [...nums].map(([id, num]) => {
      let definition = valueOf(num, 'w:abstractNumId') ?? '';
      // A definition may only name the style with the real one.
      const link = definitions.get(definition)?.link;
      const linked = link === undefined ? undefined : nums.get(styleLists.get(link) ?? '');
      if (linked) definition = valueOf(linked, 'w:abstractNumId') ?? definition;
      const levels = [...(definitions.get(definition)?.levels ?? [])];
      return [id, { definition, levels, restarts: applyOverrides(num, levels) }];
    }),
  );
}

function levelsOf(definition: Element): Level[] {
  const levels: Level[] = [];
  for (const level of elementsOf(definition, 'w:lvl'))
    levels[levelOf(level.attribs['w:ilvl'])] = readLevel(level);
  return levels;
}

const readLevel = (level: Element): Level => ({
  start: Number(valueOf(level, 'w:start') ?? 1),
  format: valueOf(level, 'w:numFmt') ?? 'decimal',
  text: (valueOf(level, 'w:lvlText') ?? '').slice(0, MAX_NUMBER_LENGTH),
  isLegal: childOf(level, 'w:isLgl') !== undefined,
  restartLevels: Number(valueOf(level, 'w:lvlRestart') ?? MAX_LEVEL),
});

/** Puts a list's own levels in the place of those of its definition. @returns the numbers at which it restarts, by level */
function applyOverrides(num: Element, levels: Level[]): Map<number, number> {
  const restarts = new Map<number, number>();
  for (const override of elementsOf(num, 'w:lvlOverride')) {
    const start = valueOf(override, 'w:startOverride');
    const level = levelOf(override.attribs['w:ilvl']);
    if (start !== undefined) restarts.set(level, Number(start));
    const own = childOf(override, 'w:lvl');
    if (own) levels[levelOf(own.attribs['w:ilvl'])] = readLevel(own);
  }
  return restarts;
}

/** The place of a paragraph in a list: by its own properties, else by those of its style. */
function createPlaces(numbering: Document, styles: Document) {
  const byId = new Map(
    elementsOf(styles, 'w:style').map((style) => [style.attribs['w:styleId'] ?? '', style]),
  );
  const levelOfStyle = new Map(
    elementsOf(numbering, 'w:lvl').map((level) => [
      valueOf(level, 'w:pStyle') ?? '',
      levelOf(level.attribs['w:ilvl']),
    ]),
  );
  const ofStyle = (id: string | undefined): Partial<Place> => {
    const seen = new Set<string>();
    for (
      let next = id;
      next !== undefined && !seen.has(next) && seen.size < MAX_STYLE_DEPTH;
      next = valueOf(byId.get(next), 'w:basedOn')
    ) {
      seen.add(next);
      const found = numberingOf(byId.get(next));
      const list = valueOf(found, 'w:numId');
      const level = valueOf(found, 'w:ilvl');
      if (list !== undefined)
        return {
          list,
          level: level === undefined ? (levelOfStyle.get(next) ?? 0) : levelOf(level),
        };
    }
    return {};
  };
  const cache = new Map<string | undefined, Partial<Place>>();
  return (paragraph: Element): Place | null => {
    const styleId = valueOf(childOf(paragraph, 'w:pPr'), 'w:pStyle');
    if (!cache.has(styleId)) cache.set(styleId, ofStyle(styleId));
    const style = cache.get(styleId) ?? {};
    const own = numberingOf(paragraph);
    const list = valueOf(own, 'w:numId') ?? style.list;
    const level = valueOf(own, 'w:ilvl');
    return list === undefined
      ? null
      : { list, level: level === undefined ? (style.level ?? 0) : levelOf(level) };
  };
}

const numberingOf = (holder: Element | undefined): Element | undefined =>
  childOf(childOf(holder, 'w:pPr'), 'w:numPr');

const levelOf = (text: string | undefined): number =>
  Math.min(Math.max(Math.trunc(Number(text)) || 0, 0), MAX_LEVEL);
