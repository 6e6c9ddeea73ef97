import { t as tBilling } from 'virtual:texts/billing';
import { t } from 'virtual:texts/plans';
import { type BillingOverview, isUpgrade, planById } from '@stolas/backend/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { userQuery } from '../../../lib/query-client.ts';
import { formatDay } from '../../../lib/time.ts';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { toast } from '../../../ui/toast-store.ts';
import { showFailure } from '../../auth/index.ts';
import { changePlan, overviewQuery, previewQuery } from '../api.ts';
import { Charge } from '../charge/charge.tsx';
import { type Offer, priceOf } from '../offer.ts';

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
  const preview = useQuery(previewQuery(to));
  const quote = preview.data?.quote;
  const { mutate, isPending } = useMutation({
    mutationFn: () => changePlan({ ...to, ...(quote && { quote }) }),
    onSuccess: (overview) => {
      client.setQueryData(overviewQuery.queryKey, overview);
      void client.invalidateQueries(userQuery);
      toast(doneWords(to, overview));
      onClose();
    },
    onError: (error) => {
      showFailure(words.failed)(error);
      void preview.refetch();
    },
  });
  return (
    <ConfirmDialog
      title={words.title}
      description={words.text}
      action={isPending ? words.busy : words.confirm}
      isDanger={false}
      isWaiting={!preview.data}
      isPending={isPending}
      run={mutate}
      onClose={onClose}
    >
      <Charge preview={preview} />
    </ConfirmDialog>
  );
}

function wordsFor(from: Offer, to: Offer, periodEndsAt: string | null) {
  const plan = planById(to.plan).name;
  const isSamePlan = from.plan === to.plan;
  const price = t(to.interval === 'year' ? 'aYear' : 'aMonth', { price: priceOf(to) });
  if (isUpgrade(from, to)) {
    return {
      title: isSamePlan ? t('upgradeToYearly') : t('upgradeTo', { plan }),
      text: t('upgradeText', { plan, price }),
      confirm: tBilling('upgradeNow'),
      busy: tBilling('upgrading'),
      failed: tBilling('upgradeFailed'),
    };
  }
  const kept = { plan: planById(from.plan).name, price };
  return {
    title: isSamePlan ? t('changeToMonthly') : t('changeTo', { plan }),
    text: periodEndsAt
      ? t('changeText', { ...kept, date: formatDay(periodEndsAt) })
      : t('changeTextOpen', kept),
    confirm: t('change'),
    busy: t('changing'),
    failed: t('notChanged'),
  };
}

function doneWords(to: Offer, { pendingChange }: BillingOverview) {
  const plan = planById(to.plan).name;
  return pendingChange
    ? {
        title: t('scheduled'),
        description: t('scheduledLine', { plan, date: formatDay(pendingChange.at) }),
      }
    : { title: tBilling('upgraded'), description: tBilling('planActive', { plan }) };
}
