import { type ClassValue, clsx } from 'clsx';
import { extendTailwindMerge } from 'tailwind-merge';

/** Includes the names of `theme.css` that Tailwind does not define. */
const merge = extendTailwindMerge({
  extend: { theme: { animate: ['fade', 'pop', 'rise', 'shimmer'], shadow: ['float'] } },
});

/** Joins class names; of two that set the same property the later one wins. */
export const cn = (...values: ClassValue[]): string => merge(clsx(values));
