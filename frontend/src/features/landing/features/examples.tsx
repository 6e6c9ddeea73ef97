import { t as claims } from 'virtual:texts/claims';
import { t } from 'virtual:texts/features';
import { t as landing } from 'virtual:texts/landing';
import type { ClaimVerdict } from '@stolas/backend/contract';
import { CircleCheck, CircleDashed, CircleX, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { formatPercent } from '../../../lib/number.ts';
import { Avatar } from '../../../ui/avatar.tsx';
import { cn } from '../../../ui/cn.ts';
import { INSIGHT_CARD, Quote, SourceLine } from '../../../ui/insight-look.tsx';
import { linesOf } from './lines-of.ts';

/** The background of a small picture of the product. */
export const Example = ({ children }: { children: ReactNode }) => (
  <div className={cn(INSIGHT_CARD, 'p-4')}>{children}</div>
);

export const FilesExample = () => (
  <Example>
    <div className="grid gap-2.5">
      <Quote>{landing('quote')}</Quote>
      <SourceLine fileName={linesOf(landing('fileNames'))[1] ?? ''} page={7} />
    </div>
  </Example>
);

export const PrivacyExample = () => (
  <Example>
    <ul className="grid gap-2">
      {linesOf(t('privacyReceipt')).map((line) => (
        <li key={line} className="flex items-center gap-2">
          <CircleCheck aria-hidden="true" className="size-4 shrink-0 text-success" />
          {line}
        </li>
      ))}
    </ul>
  </Example>
);

export function TeamExample() {
  const [here = '', name = '', message] = linesOf(t('teamExample'));
  return (
    <Example>
      <p className="text-sm text-muted">{here}</p>
      <div className="mt-3 flex items-center gap-3">
        <Avatar name={name} />
        <div>
          <p className="text-sm font-medium">{name}</p>
          <p>{message}</p>
        </div>
      </div>
    </Example>
  );
}

export function PersonasExample() {
  const [name = '', line] = linesOf(t('personasExample'));
  return (
    <Example>
      <div className="flex items-center gap-3">
        <span
          aria-hidden="true"
          className="grid size-10 shrink-0 place-items-center rounded-lg border border-line bg-ground text-lg"
        >
          {name[0]}
        </span>
        <div>
          <p className="font-medium">{name}</p>
          <p className="text-muted">{line}</p>
        </div>
      </div>
    </Example>
  );
}

const SHARES = [
  { percent: 60, width: 'w-3/5 bg-accent' },
  { percent: 40, width: 'w-2/5 bg-cool' },
];

export const FusionExample = () => (
  <Example>
    <ul className="grid gap-3">
      {linesOf(t('fusionExample')).map((name, at) => (
        <li key={name}>
          <p className="flex justify-between gap-4">
            <span>{name}</span>
            <span className="text-muted tabular-nums">
              {formatPercent(SHARES[at]?.percent ?? 0)}
            </span>
          </p>
          <div className="mt-1.5 h-1.5 rounded-full bg-hover">
            <div className={cn('h-full rounded-full', SHARES[at]?.width)} />
          </div>
        </li>
      ))}
    </ul>
  </Example>
);

const MARKS: { verdict: ClaimVerdict; Icon: LucideIcon; colour: string; line: string }[] = [
  {
    verdict: 'supported',
    Icon: CircleCheck,
    colour: 'text-success',
    line: 'decoration-success decoration-solid',
  },
  {
    verdict: 'contradicted',
    Icon: CircleX,
    colour: 'text-danger',
    line: 'decoration-danger decoration-wavy',
  },
  {
    verdict: 'unsupported',
    Icon: CircleDashed,
    colour: 'text-accent',
    line: 'decoration-accent decoration-dashed',
  },
];

export function TruthExample() {
  const sentences = linesOf(t('truthExample'));
  return (
    <Example>
      <ul className="grid gap-3">
        {MARKS.map(({ verdict, Icon, colour, line }, at) => (
          <li key={verdict}>
            <p className={cn('underline underline-offset-4', line)}>{sentences[at]}</p>
            <p className="mt-1 flex items-center gap-1.5 text-xs text-muted">
              <Icon aria-hidden="true" className={cn('size-3.5', colour)} />
              {claims(verdict)}
            </p>
          </li>
        ))}
      </ul>
    </Example>
  );
}
