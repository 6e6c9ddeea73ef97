import { expect, it } from 'vitest';
import { cn } from './cn.ts';

it.each([
  ['h-10 px-4 text-sm', 'h-12 px-6 text-base', 'h-12 px-6 text-base'],
  ['size-9', 'w-4', 'size-9 w-4'],
  ['w-4 h-4', 'size-9', 'size-9'],
  ['border border-control', 'border-line', 'border border-line'],
  ['text-sm text-muted', 'text-ink', 'text-sm text-ink'],
  ['text-center text-muted', 'text-left', 'text-muted text-left'],
  ['rounded-lg', 'rounded-br-sm', 'rounded-lg rounded-br-sm'],
  ['hover:bg-hover bg-ground', 'bg-raised', 'hover:bg-hover bg-raised'],
  ['px-4', 'pr-11', 'px-4 pr-11'],
  [
    'gap-x-3 gap-y-1',
    'justify-items-center justify-center',
    'gap-x-3 gap-y-1 justify-items-center justify-center',
  ],
  ['pr-11', 'px-4', 'px-4'],
  ['font-medium font-mono', 'font-semibold grow', 'font-mono font-semibold grow'],
  ['bg-raised/50 text-sm/6', 'bg-ground text-lg', 'bg-ground text-lg'],
  ['-mx-1.5 flex-1 max-w-md', 'mx-2 max-w-full', 'flex-1 mx-2 max-w-full'],
  ['pt-[max(1rem,env(safe-area-inset-top))]', 'p-4', 'p-4'],
  ['[&_svg]:text-muted', '[&_svg]:text-danger text-ink', '[&_svg]:text-danger text-ink'],
  ['data-[state=open]:animate-rise', 'animate-pop', 'data-[state=open]:animate-rise animate-pop'],
])('%s, then %s: the later of two that set the same wins', (base, own, result) => {
  expect(cn(base, own)).toBe(result);
});
