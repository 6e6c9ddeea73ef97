import { field, isDoc } from './values.ts';

export type Path = readonly string[];

export const isIndex = (part: string) => /^(0|[1-9]\d*)$/.test(part);

/**
 * All values of a dotted path, with arrays on the way expanded, but not the last one. `undefined` is a missing field; a path through an
 * array without documents has no value.
 */
export function valuesAt(value: unknown, path: Path): unknown[] {
  const out: unknown[] = [];
  collect(value, path, 0, out);
  return out;
}

function collect(value: unknown, path: Path, at: number, out: unknown[]): void {
  const part = path[at];
  if (part === undefined) out.push(value);
  else if (isDoc(value)) collect(field(value, part), path, at + 1, out);
  else if (!Array.isArray(value)) out.push(undefined);
  else {
    if (isIndex(part) && Number(part) < value.length)
      collect(value[Number(part)], path, at + 1, out);
    for (const element of value) if (isDoc(element)) collect(element, path, at, out);
  }
}

/** The values for an index or a sort: arrays are expanded, and an empty one counts as missing. */
export function keyValues(value: unknown, path: Path): { values: unknown[]; many: boolean } {
  const found = valuesAt(value, path);
  const values = found.flatMap((v) => (Array.isArray(v) && v.length > 0 ? v : [v]));
  const keys = values.map((v) => (Array.isArray(v) && v.length === 0 ? undefined : v));
  const many = keys.length > 1 || found.some(Array.isArray);
  return { values: keys.length > 0 ? keys : [undefined], many };
}
