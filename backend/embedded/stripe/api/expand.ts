import { invalid } from '../simulator/errors.ts';

/** A field with an id, or with the object when it is expanded. */
export class Expandable {
  constructor(
    readonly id: string,
    readonly load: () => object,
  ) {}
}

/** A field that exists only when it is expanded. */
export class Included {
  constructor(readonly load: () => object) {}
}

const MAX_DEPTH = 4;

/** The answer for an object with its fields expanded along `paths`, in Stripe's form. */
export function render(object: object, paths: readonly string[]): unknown {
  const split = paths.map((path) => path.split('.'));
  if (split.some((path) => path.length > MAX_DEPTH))
    throw invalid('You cannot expand more than 4 levels of a property.');
  return renderObject(object, split);
}

function renderObject(object: object, paths: string[][]): Record<string, unknown> {
  for (const [name = ''] of paths)
    if (!(name in object)) throw invalid(`This property cannot be expanded (${name}).`);
  const fields = Object.entries(object).map(([name, value]: [string, unknown]) => {
    const below = paths.filter((path) => path[0] === name).map((path) => path.slice(1));
    return [name, renderValue(value, below)] as const;
  });
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

function renderValue(value: unknown, below: string[][]): unknown {
  const deeper = below.filter((path) => path.length > 0);
  if (value instanceof Expandable)
    return below.length > 0 ? renderObject(value.load(), deeper) : value.id;
  if (value instanceof Included)
    return below.length > 0 ? renderObject(value.load(), deeper) : undefined;
  if (Array.isArray(value)) return value.map((each: unknown) => renderValue(each, deeper));
  if (value !== null && typeof value === 'object') return renderObject(value, deeper);
  if (below.length > 0 && value !== null) throw invalid('This property cannot be expanded.');
  return value;
}
