import { type ClassValue, clsx } from 'clsx';
import { createTailwindMerge } from 'tailwind-merge';

// Only the properties that callers of the kit override: the library's whole table weighs 5 KB gzip on every page. A
// class without a group here is kept.
const anything = () => true;
const each = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, [{ [name]: ['', anything] }]]));

const merge = createTailwindMerge(() => ({
  cacheSize: 500,
  theme: {},
  classGroups: {
    display: ['hidden', 'block', 'inline-block', 'flex', 'inline-flex', 'grid', 'inline-grid'],
    position: ['static', 'relative', 'absolute', 'fixed', 'sticky'],
    ...each('size', 'w', 'h', 'min-w', 'min-h', 'max-w', 'max-h'),
    ...each('p', 'px', 'py', 'pt', 'pr', 'pb', 'pl'),
    ...each('m', 'mx', 'my', 'mt', 'mr', 'mb', 'ml'),
    ...each(
      'gap',
      'gap-x',
      'gap-y',
      'items',
      'justify',
      'justify-items',
      'bg',
      'opacity',
      'shadow',
      'animate',
      'z',
    ),
    ...each('rounded', 'rounded-t', 'rounded-r', 'rounded-b', 'rounded-l'),
    ...each('rounded-tl', 'rounded-tr', 'rounded-bl', 'rounded-br'),
    ...each('border-x', 'border-y', 'border-t', 'border-r', 'border-b', 'border-l'),
    'border-width': [{ border: ['', '0', '2'] }],
    'border-style': [{ border: ['solid', 'dashed', 'none'] }],
    'border-color': [{ border: [anything] }],
    'font-weight': [{ font: ['normal', 'medium', 'semibold', 'bold'] }],
    'font-size': [{ text: ['xs', 'sm', 'base', 'lg', 'xl', '2xl'] }],
    'text-align': [{ text: ['left', 'center', 'right', 'start', 'end'] }],
    'text-wrap': [{ text: ['wrap', 'nowrap', 'balance', 'pretty'] }],
    'text-color': [{ text: [anything] }],
  },
  conflictingClassGroups: {
    size: ['w', 'h'],
    p: ['px', 'py', 'pt', 'pr', 'pb', 'pl'],
    px: ['pr', 'pl'],
    py: ['pt', 'pb'],
    gap: ['gap-x', 'gap-y'],
    m: ['mx', 'my', 'mt', 'mr', 'mb', 'ml'],
    mx: ['mr', 'ml'],
    my: ['mt', 'mb'],
  },
  conflictingClassGroupModifiers: {},
  orderSensitiveModifiers: ['*', '**', 'before', 'after', 'placeholder'],
}));

/** Joins class names; of two that set the same property the later one wins. */
export const cn = (...classes: ClassValue[]): string => merge(clsx(classes));
