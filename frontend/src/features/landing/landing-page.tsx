import { t as tApp } from 'virtual:texts/app';
import { t } from 'virtual:texts/landing';
import { GUEST_MESSAGE_LIMIT } from '@stolas/backend/contract';
import { ArrowRight } from 'lucide-react';
import { startTransition, useEffect, useState } from 'react';
import { Link } from 'wouter';
import { hasPlans } from '../../lib/page-settings.ts';
import { Button } from '../../ui/button.tsx';
import { Eye } from '../../ui/eye.tsx';
import { Sky } from '../../ui/sky.tsx';
import { Badges } from './badges.tsx';
import { Claims } from './claims.tsx';
import { Demo } from './demo/demo.tsx';
import { PerfectFor } from './perfect-for.tsx';
import { Pricing } from './pricing.tsx';

/** / for visitors who are not signed in (docs/product.md, 'Landing page'). It claims only what the settings allow. */
export function LandingPage() {
  const hasRest = useRest();
  return (
    <div className="relative isolate min-h-dvh overflow-hidden">
      <Sky className="bottom-auto h-[min(100dvh,60rem)]" />
      <Header />
      <main className="mx-auto max-w-5xl px-5">
        <Hero />
        <Demo />
        {hasRest && (
          <>
            <Badges />
            <Claims />
            <PerfectFor />
            {hasPlans() && <Pricing />}
          </>
        )}
      </main>
      {hasRest && <Footer />}
    </div>
  );
}

/** True after the first paint: the content below the first screen is rendered in small steps that block no input. */
function useRest(): boolean {
  const [hasRest, setRest] = useState(false);
  useEffect(() => startTransition(() => setRest(true)), []);
  return hasRest;
}

const Header = () => (
  <header className="mx-auto flex w-full max-w-5xl items-center justify-between px-5 py-4">
    <span className="flex items-center gap-2.5 font-semibold">
      <Eye className="text-gold" />
      STOLAS
    </span>
    <Button asChild variant="ghost" className="-mr-4">
      <Link href="/login">{tApp('signIn')}</Link>
    </Button>
  </header>
);

const Hero = () => (
  <section className="flex flex-col items-center pt-6 pb-12 text-center sm:pt-10 sm:pb-14">
    <Eye className="size-16 text-gold sm:size-20 [&>*]:[stroke-width:1.1]" />
    <h1 className="mt-5">
      <span className="sr-only">STOLAS. </span>
      <span className="block text-2xl font-semibold">{tApp('tagline')}</span>
    </h1>
    <p className="mt-5 max-w-xl text-lg text-balance text-muted">{t('lead')}</p>
    <div className="mt-8 flex w-full flex-wrap justify-center gap-3">
      <Button asChild variant="primary" size="lg" className="grow basis-40 sm:flex-none">
        <Link href="/login">
          {t('enter')}
          <ArrowRight aria-hidden="true" className="size-4" />
        </Link>
      </Button>
      <Button asChild size="lg" className="grow basis-40 bg-ground sm:flex-none">
        <Link href="/login?demo=true">{t('demo')}</Link>
      </Button>
    </div>
    {hasPlans() && (
      <p className="mt-4 text-sm text-muted">{t('guest', { count: GUEST_MESSAGE_LIMIT })}</p>
    )}
  </section>
);

const Footer = () => (
  <footer className="mx-auto mt-20 flex max-w-5xl items-center gap-2 border-t border-line px-5 py-8 text-sm text-muted">
    <Eye className="size-5 text-gold" />
    STOLAS
    <Link href="/privacy" className="ml-auto rounded-sm py-2 hover:text-ink hover:underline">
      {t('privacyClaim')}
    </Link>
  </footer>
);
