import { t } from 'virtual:texts/subscription';
import { type BillingOverview, type PlanId, planById } from '@stolas/backend/contract';
import { useState } from 'react';
import { formatDay } from '../../../lib/time.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogChoice, DialogContent, DialogTrigger } from '../../../ui/dialog.tsx';
import { toast } from '../../../ui/toast-store.ts';
import { cancelPlan } from '../api.ts';
import { useSubscriptionChange } from './use-billing-action.ts';

interface CancelPlanProps {
  plan: PlanId;
  periodEndsAt: BillingOverview['periodEndsAt'];
}

/** Cancels at the end of the paid period, after a confirmation. */
export function CancelPlan({ plan, periodEndsAt }: CancelPlanProps) {
  const [open, setOpen] = useState(false);
  const { name } = planById(plan);
  const until = { plan: name, date: periodEndsAt ? formatDay(periodEndsAt) : '' };
  const { run, isPending } = useSubscriptionChange({
    run: cancelPlan,
    onDone: () => {
      setOpen(false);
      toast({
        title: t('canceled'),
        description: t(periodEndsAt ? 'canceledLine' : 'canceledLineOpen', until),
      });
    },
    failed: t('notCanceled'),
  });
  return (
    <Dialog open={open} onOpenChange={setOpen}>
      <DialogTrigger asChild>
        <Button variant="ghost">{t('cancel')}</Button>
      </DialogTrigger>
      <DialogContent
        title={t('cancelTitle', until)}
        description={t(periodEndsAt ? 'cancelText' : 'cancelTextOpen', until)}
      >
        <DialogChoice cancel={t('keepMine')}>
          <Button variant="danger" busy={isPending} onClick={run}>
            {t('cancel')}
          </Button>
        </DialogChoice>
      </DialogContent>
    </Dialog>
  );
}
