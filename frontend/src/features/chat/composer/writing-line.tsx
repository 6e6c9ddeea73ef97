import { t } from 'virtual:texts/chat';
import type { Person } from '@stolas/backend/contract';
import { rich } from '../../../i18n/rich.tsx';
import { useOthers } from '../../../realtime/index.ts';
import { Button } from '../../../ui/button.tsx';
import { cn } from '../../../ui/cn.ts';
import { COLUMN } from '../../../ui/message-look.tsx';
import { anchorNotices } from '../../../ui/toast-store.ts';
import { continueInNewChat } from '../sending/attachments.ts';
import { allFiles, useDraft } from '../sending/drafts.ts';

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

interface ReadOnlyLineProps {
  owner: Person;
  conversationId: string;
  userId: string;
}

/** In place of the composer, for those who may only read. What they wrote when they still could write goes to a new chat. */
export function ReadOnlyLine({ owner, conversationId, userId }: ReadOnlyLineProps) {
  const draft = useDraft(userId, conversationId);
  const hasDraft = draft.text !== '' || allFiles(draft).length > 0;
  return (
    <div ref={anchorNotices} className={COLUMN}>
      <div className="mb-4 rounded-lg border border-line bg-raised px-4 py-3 text-sm text-muted">
        <p>{t('onlyRead', { name: owner.name })}</p>
        {hasDraft && (
          <Button
            size="sm"
            className="mt-2"
            onClick={() => continueInNewChat(userId, conversationId)}
          >
            {t('writeInNewChat')}
          </Button>
        )}
      </div>
    </div>
  );
}
