import type { Claim } from '@stolas/backend/contract';
import {
  Blend,
  FileSearch,
  Gauge,
  type LucideIcon,
  NotebookPen,
  ScanEye,
  ShieldCheck,
  UserRound,
  UsersRound,
} from 'lucide-react';
import { cn } from '../../ui/cn.ts';
import { shownClaims } from './landing-settings.ts';

const CLAIMS: Record<Claim, { icon: LucideIcon; title: string; text: string }> = {
  files: {
    icon: FileSearch,
    title: 'File-to-answer',
    text: 'Ask your files. Replies quote the passage word for word and name its page; a click opens it.',
  },
  privacy: {
    icon: ShieldCheck,
    title: 'Privacy',
    text: 'Never trained on your data. What you write and upload is for you alone, and you can delete it.',
  },
  personas: {
    icon: UserRound,
    title: 'Custom personas',
    text: 'Give the assistant a role, a tone and the knowledge that it should have.',
  },
  fusion: {
    icon: Blend,
    title: 'Persona fusion',
    text: 'Combine personas, with the weight of each set by you.',
  },
  truth: {
    icon: ScanEye,
    title: 'Truth layer',
    text: 'Statements in a reply are compared with your sources and marked: supported, contradicted or unsupported.',
  },
  depth: {
    icon: Gauge,
    title: 'Speed/depth switch',
    text: 'Fast, Balanced or Deep: you decide how long the model thinks.',
  },
  memory: {
    icon: NotebookPen,
    title: 'Memory control',
    text: 'See what is remembered, change it, or switch it off.',
  },
  team: {
    icon: UsersRound,
    title: 'Team collaboration',
    text: 'Work on the same conversations as your team.',
  },
};

/** What the operator claims (`LANDING_CLAIMS`); what the product does not do yet is marked. */
export function Claims() {
  const claims = shownClaims();
  return (
    claims.length > 0 && (
      <section aria-labelledby="features" className="pt-20 sm:pt-28">
        <h2 id="features" className="max-w-md text-xl font-semibold">
          An assistant that shows its work
        </h2>
        <ul className="mt-10 grid gap-x-8 gap-y-10 sm:grid-cols-2 lg:grid-cols-4">
          {claims.map(({ claim, isSoon }) => {
            const { icon: Icon, title, text } = CLAIMS[claim];
            return (
              <li key={claim} className="border-t border-line pt-5">
                <div className="flex h-6 items-center justify-between gap-2">
                  <Icon
                    aria-hidden="true"
                    className={cn('size-5', isSoon ? 'text-muted' : 'text-gold')}
                    strokeWidth={1.6}
                  />
                  {isSoon && (
                    <span className="rounded-full border border-line px-2.5 py-0.5 text-xs text-muted">
                      Coming soon
                    </span>
                  )}
                </div>
                <h3 className="mt-4 font-medium">{title}</h3>
                <p className="mt-1.5 text-sm text-muted">{text}</p>
              </li>
            );
          })}
        </ul>
      </section>
    )
  );
}
