import { t } from 'virtual:texts/shared';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { getAuthToken } from '../lib/auth-token.ts';
import { hasPlans } from '../lib/page-settings.ts';
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
  <div className="h-dvh overflow-y-auto overscroll-contain print:h-auto print:overflow-visible">
    <header className="mx-auto flex max-w-[calc(var(--container-column)+2.5rem)] flex-wrap items-center justify-between gap-x-4 px-5 py-4">
      <Link href="/" className="flex min-h-11 items-center gap-2.5 rounded-sm font-semibold">
        <Eye className="text-gold" />
        STOLAS
      </Link>
      <Pages />
    </header>
    <main className="mx-auto max-w-[calc(var(--container-column)+2.5rem)] px-5 pb-20">
      <h1 className="mt-4 text-xl font-semibold">{title}</h1>
      <p className="mt-3 text-muted">{lead}</p>
      {children}
    </main>
  </div>
);

const LINKS = [
  { href: '/features', name: 'features' },
  // Without the parameter a subscriber would be redirected from there.
  { href: '/subscription?change=true', name: 'plans' },
  { href: '/privacy', name: 'privacy' },
] as const;

/** The other public pages, and the sign-in. */
function Pages() {
  const [path] = useLocation();
  const entrance = getAuthToken() === null ? ENTRANCE : CHAT;
  const links = LINKS.filter(({ name }) => name !== 'plans' || hasPlans());
  return (
    <nav aria-label={t('pages')} className="-mx-3 flex flex-wrap items-center text-sm">
      {[...links, entrance].map(({ href, name }) => (
        <Link
          key={href}
          href={href}
          aria-current={path === href ? 'page' : undefined}
          className="flex min-h-11 items-center rounded-sm px-3 text-muted underline-offset-4 hover:text-ink hover:underline aria-[current=page]:text-ink"
        >
          {t(name)}
        </Link>
      ))}
    </nav>
  );
}

const ENTRANCE = { href: '/login', name: 'signIn' } as const;
const CHAT = { href: '/', name: 'backToChat' } as const;

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
    {note && <p className="mt-1 text-sm text-muted">{note}</p>}
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
