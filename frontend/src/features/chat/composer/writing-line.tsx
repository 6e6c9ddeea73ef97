import { t } from 'virtual:texts/chat';
import type { Person } from '@stolas/backend/contract';
import { rich } from '../../../i18n/rich.tsx';
import { useOthers } from '../../../realtime/index.ts';
import { cn } from '../../../ui/cn.ts';
import { COLUMN } from '../../../ui/message-look.tsx';
import { anchorNotices } from '../../../ui/toast-store.ts';

interface WritingLineProps {
  conversationId: string;
  userId: string;
}

/** Above the composer, without moving it: which others are writing a message here. */
export function WritingLine({ conversationId, userId }: WritingLineProps) {
  const people = useOthers(conversationId, userId)?.people ?? [];
  const [first, second, ...more] = people.filter(({ state }) => state === 'typing');
  if (!first) return null;
  const text = t(more.length > 0 ? 'severalWrite' : second ? 'twoWrite' : 'oneWrites');
  const tags = { first: <bdi>{first.name}</bdi>, second: <bdi>{second?.name}</bdi> };
  return (
    <div className="relative">
      <p className={cn(COLUMN, 'absolute inset-x-0 bottom-1 truncate text-xs text-muted')}>
        {rich(text, tags)}
      </p>
    </div>
  );
}

/** In place of the composer, for those who may only read. */
export const ReadOnlyLine = ({ owner }: { owner: Person }) => (
  <div ref={anchorNotices} className={COLUMN}>
    <p className="mb-4 rounded-lg border border-line bg-raised px-4 py-3 text-sm text-muted">
      {t('onlyRead', { name: owner.name })}
    </p>
  </div>
);
