import { type PlanId, planById } from '@stolas/backend/contract';
import { useState } from 'react';
import { t as tApp } from '../../../i18n/app.ts';
import { t } from '../../../i18n/billing.ts';
import { formatDollars } from '../../../lib/money.ts';
import { formatNumber } from '../../../lib/number.ts';
import { Button } from '../../../ui/button.tsx';
import {
  Dialog,
  DialogActions,
  DialogClose,
  DialogContent,
  DialogTrigger,
} from '../../../ui/dialog.tsx';
import { useUpgrade } from './use-upgrade.ts';

const { price, limits } = planById('pro');

const facts = () => [t('proRated'), t('monthly', { price: formatDollars(price) }), t('anytime')];

interface UpgradeButtonProps {
  plan?: PlanId;
  /** Whether the confirmation is open at first. */
  opened?: boolean;
}

/** 'Upgrade to Pro' with its confirmation (docs/product.md, 'Upgrade to Pro'). Nothing for users who have Pro. */
export function UpgradeButton({ plan = 'starter', opened = false }: UpgradeButtonProps) {
  const [open, setOpen] = useState(opened);
  const { run, isPending } = useUpgrade();
  if (plan === 'pro') return null;

  const confirm = () => {
    setOpen(false);
    run();
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
        <ul className="mt-4 grid list-disc gap-1.5 pl-5 text-sm">
          {facts().map((fact) => (
            <li key={fact}>{fact}</li>
          ))}
        </ul>
        <DialogActions>
          <DialogClose asChild>
            <Button>{tApp('cancel')}</Button>
          </DialogClose>
          <Button variant="primary" onClick={confirm}>
            {t('upgradeNow')}
          </Button>
        </DialogActions>
      </DialogContent>
    </Dialog>
  );
}
