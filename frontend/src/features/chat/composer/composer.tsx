import { t } from 'virtual:texts/chat';
import type { Message, Reply, User } from '@stolas/backend/contract';
import { useMutation } from '@tanstack/react-query';
import { ArrowUp, Square } from 'lucide-react';
import { useEffect, useId, useRef } from 'react';
import { ApiError } from '../../../lib/api.ts';
import { live } from '../../../realtime/index.ts';
import { cn } from '../../../ui/cn.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { COLUMN } from '../../../ui/message-look.tsx';
import { anchorNotices, toast } from '../../../ui/toast-store.ts';
import { isUnderway, useUploads } from '../../files/index.ts';
import { stopReply } from '../api.ts';
import { useIsOwn } from '../role.ts';
import { isSendable, isTooLong, useDraft, writeDraftText } from '../sending/drafts.ts';
import { useIsWaiting, usePending } from '../sending/outbox.ts';
import { usePaying } from '../sending/payer.ts';
import { send, sendWhenUploaded } from '../sending/send.ts';
import { directionOf, focusComposer, isSendKey, isTouch, useGrowing } from '../text-box.ts';
import { AttachButton } from './attach-button.tsx';
import { ComposerFiles } from './composer-files.tsx';
import { ComposerPersona } from './composer-persona.tsx';
import { LengthNotice } from './length-notice.tsx';
import { LongConversation } from './long-conversation.tsx';
import { PayerLine } from './payer-line.tsx';
import { ReplyChoices } from './reply-choices.tsx';
import { UsageMeter } from './usage-meter.tsx';
import { useMentions } from './use-mentions.tsx';
import { usePaste } from './use-paste.ts';
import { UsedUpPanel } from './used-up.tsx';

// docs/product.md, 'Limits'.
const MAX_HEIGHT_PX = 200;

const FRAME = `${COLUMN} pb-[max(0.5rem,env(safe-area-inset-bottom))]`;

interface ComposerProps {
  user: User;
  conversationId: string;
  /** Whether the messages are loaded. */
  messages: readonly Message[];
  /** The reply that is being generated here. Meanwhile the button stops it. */
  running: Reply | undefined;
}

export function Composer({ user, conversationId, messages, running }: ComposerProps) {
  const box = useRef<HTMLTextAreaElement>(null);
  const draft = useDraft(user.id, conversationId);
  const pending = usePending(conversationId) !== undefined;
  // A pending text is shown in the list; it returns to the box if the send fails.
  const text = pending ? '' : draft.text;
  const paying = usePaying(user, conversationId);
  const { usedUp } = paying;
  const usesOwnPlan = !paying.workspace && paying.owner === undefined;
  const isUploading = useUploads(draft.uploaderId).some(isUnderway);
  const isWaiting = useIsWaiting(conversationId);
  const canSend = !pending && !running && !usedUp && isSendable(text);
  const canSendNow = canSend && !isWaiting;
  const isBusy = running !== undefined || pending;
  const mayAttach = useIsOwn(conversationId);
  const answered = running?.author && running.author.id !== user.id ? running.author.name : null;
  const hintId = useId();
  const lengthId = useId();
  useGrowing(box, { text, maxHeight: MAX_HEIGHT_PX });
  useFocus(conversationId, pending);
  const onPaste = usePaste(user, conversationId, { mayAttach });
  const mentions = useMentions({ userId: user.id, conversationId, box, text });

  const submit = () => {
    if (canSend) void (isUploading ? sendWhenUploaded : send)(user, conversationId);
  };
  // A text that is being written stays in view, although it cannot be sent.
  const panel = usedUp && !running && !pending && (
    <UsedUpPanel user={user} usedUp={usedUp} paying={paying} />
  );
  if (panel && text === '')
    return (
      <div ref={anchorNotices} className={cn(FRAME, 'pb-[max(1rem,env(safe-area-inset-bottom))]')}>
        {paying.choices.length > 0 && <PayerLine user={user} paying={paying} />}
        {panel}
      </div>
    );

  return (
    <form
      ref={anchorNotices}
      className={FRAME}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {panel ? (
        <div className="pb-2">{panel}</div>
      ) : (
        <>
          <LongConversation
            user={user}
            usesOwnPlan={usesOwnPlan}
            messages={messages}
            isBusy={isBusy}
          />
          {usesOwnPlan && <UsageMeter user={user} isBusy={isBusy} />}
          <PayerLine user={user} paying={paying} />
        </>
      )}
      {/* The box loses the focus while it is disabled; with a pointer it gets it back, so the border stays. */}
      <div className="relative rounded-lg border border-line bg-raised p-2 transition-colors duration-150 ease-out focus-within:border-control pointer-fine:has-[textarea:disabled]:border-control">
        {mentions.list}
        <ComposerFiles
          user={user}
          conversationId={conversationId}
          draft={draft}
          mayAttach={mayAttach}
        />
        <textarea
          ref={box}
          rows={1}
          dir={directionOf(text)}
          data-composer
          aria-label={t('message')}
          aria-describedby={`${lengthId} ${hintId}`}
          aria-invalid={isTooLong(text) || undefined}
          placeholder={t('messagePlaceholder')}
          enterKeyHint={isTouch() ? 'enter' : 'send'}
          value={text}
          disabled={pending}
          {...mentions.aria}
          onChange={({ target }) => {
            mentions.onCaret(target);
            writeDraftText(user.id, conversationId, target.value);
            if (target.value !== '') live.writes(conversationId);
          }}
          onSelect={({ currentTarget }) => mentions.onCaret(currentTarget)}
          onPaste={onPaste}
          onKeyDown={(event) => {
            if (mentions.onKeyDown(event) || !isSendKey(event)) return;
            event.preventDefault();
            submit();
          }}
          className="block min-h-10 w-full resize-none bg-transparent px-2 py-1.5 outline-none placeholder:text-muted pointer-coarse:min-h-11"
          style={{ maxHeight: MAX_HEIGHT_PX }}
        />
        <div className="flex items-center gap-1">
          {/* These three are not drawn again with each key. */}
          {mayAttach && <AttachButton user={user} conversationId={conversationId} />}
          <ComposerPersona conversationId={conversationId} />
          <ReplyChoices conversationId={conversationId} />
          {running ? (
            <StopButton key={running.id} replyId={running.id} />
          ) : (
            <IconButton
              type="submit"
              label={t('sendMessage')}
              variant={canSendNow ? 'primary' : 'ghost'}
              disabled={!canSendNow}
              aria-describedby={lengthId}
            >
              <ArrowUp aria-hidden="true" />
            </IconButton>
          )}
        </div>
      </div>
      <LengthNotice id={lengthId} text={text} className="pt-2 text-center" />
      <p
        id={hintId}
        className="pt-2 text-center text-xs text-muted pointer-coarse:hidden [@media(height<30rem)]:hidden"
      >
        {t('sendHint')}
      </p>
      {answered !== null && (
        <output className="block pt-1 text-center text-xs text-muted">
          {t('answering', { name: answered })}
        </output>
      )}
    </form>
  );
}

function StopButton({ replyId }: { replyId: string }) {
  const stop = useMutation({
    mutationFn: () => stopReply(replyId),
    onSuccess: (state) => {
      live.applyState(state);
      focusComposer();
    },
    onError: (error) => {
      // The reply ended before the stop arrived.
      if (error instanceof ApiError && error.status === 409) live.refresh(replyId);
      else toast({ title: t('stopFailed'), variant: 'destructive' });
    },
  });
  return (
    <IconButton
      label={t('stop')}
      shortcut="Esc"
      variant="primary"
      data-stop
      disabled={stop.isPending}
      onClick={() => stop.mutate()}
    >
      <Square aria-hidden="true" className="size-4! fill-current" />
    </IconButton>
  );
}

/**
 * Focuses the composer of a conversation that was opened, and after every send, unless the user writes elsewhere by then; not on touch, where
 * it opens the keyboard.
 */
function useFocus(conversationId: string, pending: boolean): void {
  const wasPending = useRef(false);
  useEffect(() => {
    if (!pending && !(wasPending.current && isWritingElsewhere())) focusComposer();
    wasPending.current = pending;
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- refocus when the conversation changes
  }, [conversationId, pending]);
}

/** Whether another field has the focus, or a dialog or menu. */
const isWritingElsewhere = (): boolean =>
  document.activeElement?.matches(
    'input, textarea:not([data-composer]), [role=dialog] *, [role=menu] *',
  ) ?? false;
