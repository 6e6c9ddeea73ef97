import { t } from 'virtual:texts/billing';
import { type ChangePreview, type PlanId, planById } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatNumber } from '../../../lib/number.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogChoice, DialogContent, DialogTrigger } from '../../../ui/dialog.tsx';
import { previewQuery } from '../api.ts';
import { Charge } from '../charge/charge.tsx';
import { priceOf } from '../offer.ts';
import { useUpgrade } from './use-upgrade.ts';

const { limits } = planById('pro');

/** The terms, whatever the amount. */
const termsOf = ({ when, interval }: ChangePreview): string[] => [
  ...(when === 'now' ? [t('proRated')] : []),
  t(interval === 'year' ? 'yearly' : 'monthly', { price: priceOf({ plan: 'pro', interval }) }),
  t('anytime'),
];

interface UpgradeButtonProps {
  plan?: PlanId;
  /** Whether the confirmation is open at first. */
  opened?: boolean;
}

/** 'Upgrade to Pro' with its confirmation (docs/product.md, 'Upgrade to Pro'). Nothing for users who have Pro. */
export function UpgradeButton({ plan = 'starter', opened = false }: UpgradeButtonProps) {
  const [open, setOpen] = useState(opened);
  const { run, isPending } = useUpgrade();
  const preview = useQuery({ ...previewQuery({ plan: 'pro' }), enabled: open });
  if (plan === 'pro') return null;

  const confirm = () => {
    setOpen(false);
    run(preview.data?.quote ?? null);
  };

  return (
    <Dialog open={open} onOpenChange={setOpen}>
      <DialogTrigger asChild>
        <Button busy={isPending}>{isPending ? t('upgrading') : t('upgrade')}</Button>
      </DialogTrigger>
      <DialogContent
        title={t('upgrade')}
        description={t('upgradeText', { tokens: formatNumber(limits.tokensPerMonth) })}
      >
        <Charge preview={preview}>
          {(known) => termsOf(known).map((term) => <li key={term}>{term}</li>)}
        </Charge>
        <DialogChoice>
          <Button variant="primary" disabled={!preview.data} onClick={confirm}>
            {t('upgradeNow')}
          </Button>
        </DialogChoice>
      </DialogContent>
    </Dialog>
  );
}
