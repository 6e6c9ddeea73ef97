import { t } from 'virtual:texts/chat';
import { DEMO_MODEL, type Reply } from '@stolas/backend/contract';
import { Globe, RefreshCw } from 'lucide-react';
import { useMemo } from 'react';
import { IconButton } from '../../../ui/icon-button.tsx';
import { useUserPart } from '../../auth/index.ts';
import { CheckButton } from '../../claims/index.tsx';
import { openShareDialog } from '../../shares/index.ts';
import { useMayManage, useMayWrite } from '../role.ts';
import { useConversationPart } from '../use-conversation.ts';
import { BranchSwitcher } from './branch-switcher.tsx';
import { CopyButton } from './copy-button.tsx';
import { DetailsButton } from './details-button.tsx';
import { FeedbackButtons } from './feedback-buttons.tsx';
import { IdleButton } from './idle-button.tsx';
import { MessageFooter } from './message-frame.tsx';
import { useRegenerate } from './use-regenerate.ts';

interface ReplyFooterProps {
  reply: Reply;
  /** The text to copy. */
  text: string;
  isLast: boolean;
  /** Whether the conversation has sources for a check. */
  hasSources: boolean;
}

/** Below a reply that has ended. */
export function ReplyFooter({ reply, text, isLast, hasSources }: ReplyFooterProps) {
  const mayWrite = useMayWrite(reply.conversationId);
  const mayManage = useMayManage(reply.conversationId);
  // The same elements when the next message comes: the buttons are not drawn again.
  const actions = useMemo(
    () => (
      <>
        {text !== '' && <CopyButton text={text} html={(button) => htmlAround(button, reply)} />}
        {mayWrite && <RegenerateButton reply={reply} />}
        <FeedbackButtons reply={reply} />
        <DetailsButton reply={reply} />
        {mayManage && <LinkButton reply={reply} />}
      </>
    ),
    [reply, text, mayWrite, mayManage],
  );
  return (
    <MessageFooter
      createdAt={reply.createdAt}
      showsActions={isLast}
      switcher={
        <>
          <DemoMark reply={reply} />
          <BranchSwitcher message={reply} />
        </>
      }
      actions={actions}
      lastAction={mayWrite && <CheckButton reply={reply} hasSources={hasSources} />}
    />
  );
}

function RegenerateButton({ reply }: { reply: Reply }) {
  const { regenerate, isPending } = useRegenerate(reply);
  return (
    <IdleButton
      conversationId={reply.conversationId}
      label={t('regenerate')}
      disabled={isPending}
      onClick={regenerate}
    >
      <RefreshCw aria-hidden="true" />
    </IdleButton>
  );
}

/** Not for guests, nor in temporary conversations. */
function LinkButton({ reply: { id, conversationId } }: { reply: Reply }) {
  const status = useUserPart(({ subscriptionStatus }) => subscriptionStatus);
  const isTemporary = useConversationPart(conversationId, ({ temporary }) => temporary) ?? false;
  if (isTemporary || status === 'guest') return null;
  return (
    <IconButton
      label={t('publicLink')}
      size="sm"
      aria-haspopup="dialog"
      onClick={() => openShareDialog({ replyId: id })}
    >
      <Globe aria-hidden="true" />
    </IconButton>
  );
}

/** Says that no AI wrote a reply. */
const DemoMark = ({ reply: { metadata } }: { reply: Reply }) =>
  // The models of a panel are separated by commas.
  metadata?.depthReceipt?.model.split(', ').includes(DEMO_MODEL) ? (
    <span className="rounded-full border border-line px-2 py-0.5">{t('demoAnswer')}</span>
  ) : null;

async function htmlAround(button: Element, { metadata }: Reply): Promise<string> {
  const shown = button.closest('article')?.querySelector('.reply');
  const { replyHtml } = await import('./plain-html.ts');
  return shown ? replyHtml(shown, metadata?.citations) : '';
}
