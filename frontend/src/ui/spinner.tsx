import { t } from 'virtual:texts/app';
import { cn } from './cn.ts';
import { Eye } from './eye.tsx';

/** Decoration only: the component that uses it names what is in progress. */
export function Spinner({ className }: { className?: string }) {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 24 24"
      fill="none"
      className={cn('size-5 animate-spin', className)}
    >
      <circle cx="12" cy="12" r="9" stroke="currentColor" strokeWidth="2.5" opacity="0.2" />
      <path
        d="M21 12a9 9 0 0 0-9-9"
        stroke="currentColor"
        strokeWidth="2.5"
        strokeLinecap="round"
      />
    </svg>
  );
}

/** The full-screen loader; while the session is being checked it has the text of docs/product.md, 'Screens'. */
export function FullScreenSpinner({ text = t('starting') }: { text?: string }) {
  return (
    <main className="grid min-h-dvh place-items-center">
      <output className="grid justify-items-center gap-4 text-sm text-muted">
        <Eye className="size-12 animate-shimmer text-gold" />
        {text}
      </output>
    </main>
  );
}
