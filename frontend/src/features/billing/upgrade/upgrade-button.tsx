import { type PlanId, planById } from '@stolas/backend/contract';
import { useState } from 'react';
import { formatDollars } from '../../../lib/money.ts';
import { Button } from '../../../ui/button.tsx';
import {
  Dialog,
  DialogActions,
  DialogClose,
  DialogContent,
  DialogTrigger,
} from '../../../ui/dialog.tsx';
import { useUpgrade } from './use-upgrade.ts';

const PRICE = formatDollars(planById('pro').price);

const FACTS = [
  'Pro-rated billing for the remaining days of the current cycle',
  `${PRICE}/month, billed monthly`,
  'Cancel anytime',
];

/** 'Upgrade to Pro' with its confirmation (docs/product.md, 'Upgrade to Pro'). Nothing for users who have Pro. */
export function UpgradeButton({ plan = 'starter' }: { plan?: PlanId }) {
  const [open, setOpen] = useState(false);
  const { run, isPending } = useUpgrade();
  if (plan === 'pro') return null;

  const confirm = () => {
    setOpen(false);
    run();
  };

  return (
    <Dialog open={open} onOpenChange={setOpen}>
      <DialogTrigger asChild>
        <Button busy={isPending}>{isPending ? 'Upgrading...' : 'Upgrade to Pro'}</Button>
      </DialogTrigger>
      <DialogContent
        title="Upgrade to Pro"
        description="3,000,000 tokens per month, and everything else that Pro has. It starts now."
      >
        <ul className="mt-4 grid list-disc gap-1.5 pl-5 text-sm">
          {FACTS.map((fact) => (
            <li key={fact}>{fact}</li>
          ))}
        </ul>
        <DialogActions>
          <DialogClose asChild>
            <Button>Cancel</Button>
          </DialogClose>
          <Button variant="primary" onClick={confirm}>
            Upgrade Now
          </Button>
        </DialogActions>
      </DialogContent>
    </Dialog>
  );
}
