import { t } from 'virtual:texts/landing';
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
import { Link } from 'wouter';
import { shownClaims } from '../../lib/page-settings.ts';
import { cn } from '../../ui/cn.ts';

const ICONS: Record<Claim, LucideIcon> = {
  files: FileSearch,
  privacy: ShieldCheck,
  personas: UserRound,
  fusion: Blend,
  truth: ScanEye,
  depth: Gauge,
  memory: NotebookPen,
  team: UsersRound,
};

/** The operator's claims (`LANDING_CLAIMS`); features that do not exist yet are marked. */
export function Claims() {
  const claims = shownClaims();
  return (
    claims.length > 0 && (
      <section aria-labelledby="features" className="pt-20 sm:pt-28">
        <h2 id="features" className="max-w-md text-xl font-semibold">
          {t('claims')}
        </h2>
        <ul className="mt-10 grid gap-x-8 gap-y-10 sm:grid-cols-2 lg:grid-cols-4">
          {claims.map(({ claim, isSoon }) => {
            const Icon = ICONS[claim];
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
                      {t('soon')}
                    </span>
                  )}
                </div>
                <h3 className="mt-4 font-medium">{t(`${claim}Claim`)}</h3>
                <p className="mt-1.5 text-sm text-muted">{t(`${claim}Text`)}</p>
                <Link
                  href={`/features#${claim}`}
                  aria-label={`${t('learnMore')}: ${t(`${claim}Claim`)}`}
                  className="mt-2 inline-flex min-h-6 items-center rounded-sm text-sm text-cool underline-offset-4 hover:underline pointer-coarse:min-h-11"
                >
                  {t('learnMore')}
                </Link>
              </li>
            );
          })}
        </ul>
      </section>
    )
  );
}
