import { t } from 'virtual:texts/forms';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Eye } from '../../ui/eye.tsx';
import { Sky } from '../../ui/sky.tsx';

/** The page around a form: the mark, which links to /, a title, a line of text, and the form. */
export function AuthFrame({
  title,
  line,
  children,
}: {
  title: string;
  line?: string;
  children: ReactNode;
}) {
  return (
    <div className="relative isolate grid min-h-dvh place-items-center px-5 py-10">
      <Sky />
      <main className="w-full max-w-sm animate-rise">
        <header className="mb-8 grid justify-items-center gap-1 text-center">
          <Link href="/" className="mb-2 rounded-sm text-gold" aria-label={t('home')}>
            <Eye className="size-14" />
          </Link>
          <h1 className="text-xl font-semibold">{title}</h1>
          {line && <p className="text-sm text-balance text-muted">{line}</p>}
        </header>
        {children}
      </main>
    </div>
  );
}
