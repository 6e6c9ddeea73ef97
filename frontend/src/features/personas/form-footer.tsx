import type { ReactNode } from 'react';

/** The buttons of a long form, always in view; below them, why the form was refused. */
export const FormFooter = ({ children, refusal }: { children: ReactNode; refusal: ReactNode }) => (
  <div className="sticky bottom-0 z-10 -mx-5 grid gap-3 border-t border-line bg-ground px-5 py-3">
    <div className="flex flex-wrap gap-3">{children}</div>
    {refusal}
  </div>
);

/** Keeps a focused field clear of the footer of its form. */
export const ABOVE_FOOTER = '[&_:is(input,textarea,select,button)]:scroll-mb-28';
