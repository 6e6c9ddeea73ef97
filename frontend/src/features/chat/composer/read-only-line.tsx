import { t } from 'virtual:texts/chat';
import type { Person } from '@stolas/backend/contract';
import { COLUMN } from '../../../ui/message-look.tsx';
import { anchorNotices } from '../../../ui/toast-store.ts';

/** In place of the composer, for those who may only read. */
export const ReadOnlyLine = ({ owner }: { owner: Person }) => (
  <div ref={anchorNotices} className={COLUMN}>
    <p className="mb-4 rounded-lg border border-line bg-raised px-4 py-3 text-sm text-muted">
      {t('onlyRead', { name: owner.name })}
    </p>
  </div>
);
