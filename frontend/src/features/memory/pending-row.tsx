import { t } from 'virtual:texts/memory';
import type { Memory } from '@stolas/backend/contract';
import { Button } from '../../ui/button.tsx';
import { approveMemory, rejectMemory, useAct } from './api.ts';
import { Origin } from './origin.tsx';

/** A memory that no reply reads before the user has approved it. */
export function PendingRow({ memory }: { memory: Memory }) {
  const approve = useAct(() => approveMemory(memory.id));
  const reject = useAct(() => rejectMemory(memory.id));
  const isBusy = approve.isPending || reject.isPending;
  return (
    <li className="flex flex-wrap items-center gap-3 py-3">
      <div className="min-w-48 flex-1">
        <p className="wrap-anywhere">
          <bdi>{memory.text}</bdi>
        </p>
        {memory.reason && (
          <p className="mt-0.5 text-xs text-muted">{t(`reason_${memory.reason}`)}</p>
        )}
        <Origin memory={memory} />
      </div>
      <div className="flex gap-2">
        <Button size="sm" disabled={isBusy} onClick={() => reject.mutate()}>
          {t('reject')}
        </Button>
        <Button size="sm" variant="primary" disabled={isBusy} onClick={() => approve.mutate()}>
          {t('approve')}
        </Button>
      </div>
    </li>
  );
}
