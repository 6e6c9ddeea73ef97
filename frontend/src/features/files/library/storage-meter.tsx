import { t } from 'virtual:texts/storageUse';
import type { StorageUse } from '@stolas/backend/contract';
import { rich } from '../../../i18n/rich.tsx';
import { percentOf } from '../../../lib/number.ts';
import { cn } from '../../../ui/cn.ts';
import { formatSize } from '../upload/file-size.ts';

const PARTS = {
  used: (text: string) => <span className="font-medium">{text}</span>,
  rest: (text: string) => <span className="text-muted">{text}</span>,
};

/** From here on the meter warns, in percent. */
const FULL = 95;

/** The storage that the user's files take, in words and as a bar. */
export function StorageMeter({ storage, className }: { storage: StorageUse; className?: string }) {
  // Without a plan there is no storage; a bar would always be full.
  if (storage.limit === 0) {
    const stored = storage.used > 0 && `${t('stored', { used: formatSize(storage.used) })} `;
    return (
      <p className={cn('text-sm text-muted', className)}>
        {stored}
        {t('needsPlan')}
      </p>
    );
  }
  const percent = percentOf(storage);
  return (
    <div className={className}>
      <p className="text-sm tabular-nums">
        {rich(
          t('used', { used: formatSize(storage.used), limit: formatSize(storage.limit) }),
          PARTS,
        )}
      </p>
      <div aria-hidden="true" className="mt-2 h-1.5 overflow-hidden rounded-full bg-hover">
        <div
          className={cn('h-full rounded-full', percent >= FULL ? 'bg-danger' : 'bg-accent')}
          style={{ width: `${Math.max(percent, storage.used > 0 ? 1 : 0)}%` }}
        />
      </div>
    </div>
  );
}
