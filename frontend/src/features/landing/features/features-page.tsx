import { t } from 'virtual:texts/features';
import { t as landing } from 'virtual:texts/landing';
import { CLAIMS, type Claim } from '@stolas/backend/contract';
import { type ReactNode, useEffect } from 'react';
import { rich } from '../../../i18n/rich.tsx';
import { getAuthToken } from '../../../lib/auth-token.ts';
import { shownClaims } from '../../../lib/page-settings.ts';
import { usePageTitle } from '../../../lib/page-title.ts';
import { PublicPage, PublicSection, TextLink } from '../../../ui/public-page.tsx';
import { TooltipProvider } from '../../../ui/tooltip.tsx';
import { DepthExample } from './depth-example.tsx';
import {
  FilesExample,
  FusionExample,
  PersonasExample,
  PrivacyExample,
  TeamExample,
  TruthExample,
} from './examples.tsx';
import { MemoryExample } from './memory-example.tsx';

/** The place of each claim in the product. */
const PLACES: Record<Claim, string> = {
  files: '/files',
  privacy: '/privacy',
  personas: '/personas',
  fusion: '/personas?fuse',
  truth: '/',
  depth: '/',
  memory: '/memory',
  team: '/workspace',
};

const EXAMPLES: Record<Claim, () => ReactNode> = {
  files: () => <FilesExample />,
  privacy: () => <PrivacyExample />,
  personas: () => <PersonasExample />,
  fusion: () => <FusionExample />,
  truth: () => <TruthExample />,
  depth: () => <DepthExample />,
  memory: () => <MemoryExample />,
  team: () => <TeamExample />,
};

/** /features (docs/product.md, 'Features'): the details of each claim of the landing page; `#<claim>` opens one. */
export function FeaturesPage() {
  usePageTitle(t('title'));
  useEffect(() => document.getElementById(location.hash.slice(1))?.scrollIntoView(), []);
  const shown = new Map(shownClaims().map(({ claim, isSoon }) => [claim, isSoon]));
  return (
    <PublicPage title={t('title')} lead={t('lead')}>
      <TooltipProvider>
        {CLAIMS.filter((claim) => shown.has(claim)).map((claim) => (
          <Feature key={claim} claim={claim} isSoon={shown.get(claim) === true} />
        ))}
      </TooltipProvider>
    </PublicPage>
  );
}

function Feature({ claim, isSoon }: { claim: Claim; isSoon: boolean }) {
  return (
    <PublicSection id={claim} title={landing(`${claim}Claim`)}>
      {isSoon && (
        <p className="mt-2">
          <span className="rounded-full border border-line px-2.5 py-0.5 text-xs text-muted">
            {landing('soon')}
          </span>
        </p>
      )}
      <p className="mt-3 leading-relaxed">{t(`${claim}Body`)}</p>
      {isSoon ? (
        <p className="mt-3 text-sm text-muted">{t('notYet')}</p>
      ) : (
        <>
          <div className="mt-6">{EXAMPLES[claim]()}</div>
          <p className="mt-5 flex flex-wrap items-center gap-x-3">
            <TextLink href={PLACES[claim]}>{t(`${claim}Link`)}</TextLink>
            {claim !== 'privacy' && isVisitor() && <WayIn />}
          </p>
        </>
      )}
    </PublicSection>
  );
}

const isVisitor = () => getAuthToken() === null;

const WAYS = {
  signIn: (text: string) => <TextLink href="/login">{text}</TextLink>,
  guest: (text: string) => <TextLink href="/login?demo=true">{text}</TextLink>,
};

const WayIn = () => <span className="text-sm text-muted">{rich(t('signIn'), WAYS)}</span>;
