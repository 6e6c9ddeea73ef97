import { t } from 'virtual:texts/shares';
import type { ConversationShare } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { conversationSharesQuery } from './api.ts';
import { MadeLink, useRevoke } from './made-link.tsx';

/** The links to a conversation that work, whoever made them, for those who may make one. Nothing while there are none. */
export function ConversationLinks({ conversationId }: { conversationId: string }) {
  const { data: shares = [] } = useQuery(conversationSharesQuery(conversationId));
  if (shares.length === 0) return null;
  return (
    <section aria-label={t('toThis')} className="grid gap-1">
      <h3 className="text-sm font-medium">{t('toThis')}</h3>
      <ul className="grid divide-y divide-line">
        {shares.map((share) => (
          <Row key={share.id} share={share} />
        ))}
      </ul>
    </section>
  );
}

function Row({ share }: { share: ConversationShare }) {
  const { run, isPending } = useRevoke(share.id);
  return <MadeLink share={share} isEnding={isPending} onEnd={run} />;
}
