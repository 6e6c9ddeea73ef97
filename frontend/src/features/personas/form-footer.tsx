import type { ReactNode } from 'react';
import { isLimit, LimitNotice } from './limit-notice.tsx';

/** The buttons of a long form, always in view; below them, why the form was refused. */
export const FormFooter = ({ children, error }: { children: ReactNode; error: unknown }) => (
  <div className="sticky bottom-0 z-10 -mx-5 grid gap-3 border-t border-line bg-ground px-5 py-3">
    <div className="flex flex-wrap gap-3">{children}</div>
    {isLimit(error) && <LimitNotice />}
  </div>
);

/** Keeps a focused field clear of the footer of its form. */
export const ABOVE_FOOTER = '[&_:is(input,textarea,select,button)]:scroll-mb-28';
