import { type ClassValue, clsx } from 'clsx';

// Only the properties that callers of the kit override; a class of no group here stays as it is. The usual library for
// this, tailwind-merge, weighs more than all of the kit's buttons on every page.
const words = (text: string) => text.split(' ');

/** Classes whose group is their name without its value: `px-4` sets `px`. */
const NAMED = new Set(
  words(
    'size w h min-w min-h max-w max-h p px py pt pr pb pl m mx my mt mr mb ml gap gap-x gap-y items justify justify-items ' +
      'bg opacity shadow animate z rounded rounded-t rounded-r rounded-b rounded-l rounded-tl rounded-tr rounded-bl ' +
      'rounded-br border-x border-y border-t border-r border-b border-l',
  ),
);

/** Classes whose group depends on their value. */
const VALUED = new Map<string, string>();
for (const [group, classes] of Object.entries({
  display: 'hidden block inline-block flex inline-flex grid inline-grid',
  position: 'static relative absolute fixed sticky',
  'border-width': 'border border-0 border-2',
  'border-style': 'border-solid border-dashed border-none',
  'font-weight': 'font-normal font-medium font-semibold font-bold',
  'font-size': 'text-xs text-sm text-base text-lg text-xl text-2xl',
  'text-align': 'text-left text-center text-right text-start text-end',
  'text-wrap': 'text-wrap text-nowrap text-balance text-pretty',
})) {
  for (const name of words(classes)) VALUED.set(name, group);
}

/** What else a group sets. */
const COVERED: Readonly<Record<string, string>> = {
  size: 'w h',
  p: 'px py pt pr pb pl',
  px: 'pr pl',
  py: 'pt pb',
  gap: 'gap-x gap-y',
  m: 'mx my mt mr mb ml',
  mx: 'mr ml',
  my: 'mt mb',
};

function groupOf(name: string): string | undefined {
  const plain = name.replace(/^-|\/.*/g, '');
  const group = VALUED.get(plain);
  if (group) return group;
  for (let end = plain.length; end > 0; end = plain.lastIndexOf('-', end - 1)) {
    if (NAMED.has(plain.slice(0, end))) return plain.slice(0, end);
  }
  return /^(border|text)-/.exec(plain)?.[0];
}

/** Variants such as `hover:` or `[&_svg]:`, then the class itself. */
const CLASS = /^((?:[^[\]:]|\[[^\]]*\])*:)?(.+)$/;

function merge(classes: string): string {
  const overridden = new Set<string>();
  const kept = classes
    .split(/\s+/)
    .toReversed()
    .filter((name) => {
      const [, variants = '', plain = ''] = CLASS.exec(name) ?? [];
      const group = groupOf(plain);
      if (group === undefined) return true;
      if (overridden.has(variants + group)) return false;
      for (const other of [group, ...words(COVERED[group] ?? '')]) overridden.add(variants + other);
      return true;
    });
  return kept.toReversed().join(' ');
}

const CACHE_SIZE = 500;
const cache = new Map<string, string>();

/** Joins class names; of two that set the same property the later one wins. */
export function cn(...values: ClassValue[]): string {
  const classes = clsx(values);
  const known = cache.get(classes);
  if (known !== undefined) return known;
  if (cache.size >= CACHE_SIZE) cache.clear();
  const merged = merge(classes);
  cache.set(classes, merged);
  return merged;
}
