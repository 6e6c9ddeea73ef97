import { GUEST_MESSAGE_LIMIT } from '@stolas/backend/contract';
import { ArrowRight } from 'lucide-react';
import { Link } from 'wouter';
import { TAGLINE } from '../../lib/product.ts';
import { Button } from '../../ui/button.tsx';
import { Eye } from '../../ui/eye.tsx';
import { Sky } from '../../ui/sky.tsx';
import { Features } from './features.tsx';
import { Pricing } from './pricing.tsx';

/** / for visitors who are not signed in (docs/product.md, 'Screens'). It states only what the product does. */
export function LandingPage() {
  return (
    <main>
      <div className="relative isolate flex min-h-[min(100dvh,60rem)] flex-col overflow-hidden">
        <Sky />
        <Header />
        <Hero />
      </div>
      <div className="mx-auto max-w-5xl px-5">
        <Features />
        <Pricing />
        <footer className="mt-24 flex items-center gap-2 border-t border-line py-8 text-sm text-muted">
          <Eye className="size-5 text-accent" />
          STOLAS
        </footer>
      </div>
    </main>
  );
}

const Header = () => (
  <header className="mx-auto flex w-full max-w-5xl items-center justify-between px-5 py-5">
    <span className="flex items-center gap-2.5 font-semibold">
      <Eye className="text-accent" />
      STOLAS
    </span>
    <Button asChild variant="ghost" className="-mr-4">
      <Link href="/login">Sign In</Link>
    </Button>
  </header>
);

const Hero = () => (
  <section className="flex flex-1 animate-rise flex-col items-center justify-center px-5 pt-6 pb-24 text-center">
    <Eye className="size-24 text-accent sm:size-28 [&>*]:[stroke-width:0.9]" />
    <h1 className="mt-8">
      <span className="block text-sm font-semibold tracking-[0.35em] text-accent">STOLAS</span>
      <span className="mt-4 block text-2xl font-semibold">{TAGLINE}</span>
    </h1>
    <p className="mt-6 max-w-xl text-lg text-balance text-muted">
      An AI assistant for questions that deserve a long look. Answers arrive word by word, in every
      tab you have open, and are kept when your connection drops.
    </p>
    <div className="mt-10 flex flex-wrap justify-center gap-3">
      <Button asChild variant="primary" size="lg">
        <Link href="/login">
          Enter STOLAS
          <ArrowRight aria-hidden="true" className="size-4" />
        </Link>
      </Button>
      <Button asChild size="lg" className="bg-ground">
        <Link href="/login">View Live Demo</Link>
      </Button>
    </div>
    <p className="mt-5 text-sm text-muted">
      {GUEST_MESSAGE_LIMIT} messages as a guest. No account, no card.
    </p>
  </section>
);
