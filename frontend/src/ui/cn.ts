import { type ClassValue, clsx } from 'clsx';
import { extendTailwindMerge } from 'tailwind-merge';

/** Knows the names of `theme.css` that are none of Tailwind's own. */
const merge = extendTailwindMerge({
  extend: { theme: { animate: ['fade', 'pop', 'rise', 'shimmer'], shadow: ['float'] } },
});

/** Joins class names; of two that set the same property the later one wins. */
export const cn = (...values: ClassValue[]): string => merge(clsx(values));
