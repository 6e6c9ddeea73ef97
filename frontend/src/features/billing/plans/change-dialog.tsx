import { type BillingOverview, planById } from '@stolas/backend/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { userMessageOf } from '../../../lib/api.ts';
import { userQuery } from '../../../lib/query-client.ts';
import { formatDay } from '../../../lib/time.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog, DialogActions, DialogClose, DialogContent } from '../../../ui/dialog.tsx';
import { toast } from '../../../ui/toast-store.ts';
import { changePlan, overviewQuery } from '../api.ts';
import { isUpgrade, type Offer, priceOf } from '../offer.ts';

interface ChangeDialogProps {
  from: Offer;
  to: Offer;
  periodEndsAt: string | null;
  onClose: () => void;
}

/** Confirms the change of a subscription: an upgrade applies now, a downgrade at the end of the paid period. */
export function ChangeDialog({ from, to, periodEndsAt, onClose }: ChangeDialogProps) {
  const words = wordsFor(from, to, periodEndsAt);
  const client = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: () => changePlan(to),
    onSuccess: (overview) => {
      client.setQueryData(overviewQuery.queryKey, overview);
      void client.invalidateQueries(userQuery);
      toast(doneWords(to, overview));
      onClose();
    },
    onError: (error) =>
      toast({
        variant: 'destructive',
        title: words.failed,
        description: userMessageOf(error, 'Check your connection and try again.'),
      }),
  });
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()}>
      <DialogContent title={words.title} description={words.text}>
        <DialogActions>
          <DialogClose asChild>
            <Button>Cancel</Button>
          </DialogClose>
          <Button variant="primary" busy={isPending} onClick={() => mutate()}>
            {isPending ? words.busy : words.confirm}
          </Button>
        </DialogActions>
      </DialogContent>
    </Dialog>
  );
}

function wordsFor(from: Offer, to: Offer, periodEndsAt: string | null) {
  const [before, after] = [planById(from.plan).name, planById(to.plan).name];
  const target = from.plan === to.plan ? `${to.interval}ly billing` : after;
  const price = `${priceOf(to)} a ${to.interval}`;
  if (isUpgrade(from, to)) {
    return {
      title: `Upgrade to ${target}?`,
      text: `${after} starts now. You pay the pro-rated difference for the remaining days of the current cycle, then ${price}. Cancel anytime.`,
      confirm: 'Upgrade Now',
      busy: 'Upgrading...',
      failed: 'Upgrade Failed',
    };
  }
  const end = periodEndsAt
    ? `until ${formatDay(periodEndsAt)}`
    : 'until the end of the paid period';
  return {
    title: `Change to ${target}?`,
    text: `You keep ${before}, as you pay for it now, ${end}. After that you pay ${price}. Nothing is charged today.`,
    confirm: 'Change Plan',
    busy: 'Changing...',
    failed: 'Your plan was not changed',
  };
}

function doneWords(to: Offer, { pendingChange }: BillingOverview) {
  const { name } = planById(to.plan);
  return pendingChange
    ? {
        title: 'Change Scheduled',
        description: `${name} starts on ${formatDay(pendingChange.at)}.`,
      }
    : { title: 'Upgrade Successful', description: `Your ${name} plan is active.` };
}
