import { type BillingOverview, type PlanId, planById } from '@stolas/backend/contract';
import { useState } from 'react';
import { formatDay } from '../../../lib/time.ts';
import { Button } from '../../../ui/button.tsx';
import {
  Dialog,
  DialogActions,
  DialogClose,
  DialogContent,
  DialogTrigger,
} from '../../../ui/dialog.tsx';
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
  const until = periodEndsAt ? formatDay(periodEndsAt) : 'the end of the paid period';
  const { name } = planById(plan);
  const { run, isPending } = useSubscriptionChange({
    run: cancelPlan,
    onDone: () => {
      setOpen(false);
      toast({ title: 'Plan Canceled', description: `${name} stays until ${until}.` });
    },
    failed: 'Your plan was not canceled',
  });
  return (
    <Dialog open={open} onOpenChange={setOpen}>
      <DialogTrigger asChild>
        <Button variant="ghost">Cancel Plan</Button>
      </DialogTrigger>
      <DialogContent
        title={`Cancel ${name}?`}
        description={`${name} stays until ${until}, and nothing more is charged. After that you need a plan to chat. Your conversations are kept.`}
      >
        <DialogActions>
          <DialogClose asChild>
            <Button>Keep My Plan</Button>
          </DialogClose>
          <Button variant="danger" busy={isPending} onClick={run}>
            Cancel Plan
          </Button>
        </DialogActions>
      </DialogContent>
    </Dialog>
  );
}
