import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Eye } from './eye.tsx';

/** A page for everybody, with the mark that leads to the start page. */
export const PublicPage = ({
  title,
  lead,
  children,
}: {
  title: string;
  lead: string;
  children: ReactNode;
}) => (
  <div className="h-dvh overflow-y-auto overscroll-contain">
    <header className="mx-auto flex max-w-3xl items-center px-5 py-4">
      <Link href="/" className="flex min-h-11 items-center gap-2.5 rounded-sm font-semibold">
        <Eye className="text-gold" />
        STOLAS
      </Link>
    </header>
    <main className="mx-auto max-w-3xl px-5 pb-20">
      <h1 className="mt-4 text-xl font-semibold">{title}</h1>
      <p className="mt-3 max-w-prose text-muted">{lead}</p>
      {children}
    </main>
  </div>
);

/** One part of such a page. `id` makes it a place that a link leads to. */
export const PublicSection = ({
  id,
  title,
  note,
  children,
}: {
  id: string;
  title: string;
  note?: string;
  children?: ReactNode;
}) => (
  <section
    id={id}
    aria-labelledby={`${id}-title`}
    className="mt-10 scroll-mt-4 border-t border-line pt-8"
  >
    <h2 id={`${id}-title`} className="text-lg font-semibold">
      {title}
    </h2>
    {note && <p className="mt-1 max-w-prose text-sm text-muted">{note}</p>}
    {children}
  </section>
);

/** A link within a text. */
export const TextLink = ({ href, children }: { href: string; children: ReactNode }) => (
  <Link
    href={href}
    className="inline-flex items-center rounded-sm text-cool underline underline-offset-4 pointer-coarse:min-h-11"
  >
    {children}
  </Link>
);
