import { MAX_MESSAGE_LENGTH, type Reply, type User } from '@stolas/backend/contract';
import { useMutation } from '@tanstack/react-query';
import { ArrowUp, Square } from 'lucide-react';
import { type KeyboardEvent, type RefObject, useEffect, useId, useLayoutEffect } from 'react';
import { ApiError } from '../../../lib/api.ts';
import { live } from '../../../realtime/index.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { toast } from '../../../ui/toast-store.ts';
import { stopReply } from '../api.ts';
import { useDraft, writeDraft } from './drafts.ts';
import { usePending } from './outbox.ts';
import { send } from './send.ts';

// Specification section 9.
const MAX_HEIGHT_PX = 200;

interface ComposerProps {
  user: User;
  conversationId: string;
  /** The reply that is being generated here; while there is one, the button stops it. */
  running: Reply | undefined;
  box: RefObject<HTMLTextAreaElement | null>;
}

export function Composer({ user, conversationId, running, box }: ComposerProps) {
  const draft = useDraft(user.id, conversationId);
  const pending = usePending(conversationId) !== undefined;
  // On its way the text is in the list already; it comes back here should the send fail.
  const text = pending ? '' : draft.text;
  const canSend = !pending && !running && text.trim() !== '';
  const hintId = useId();
  useLayoutEffect(() => {
    if (box.current?.value === text) grow(box.current);
  }, [box, text]);
  useFocus(box, { conversationId, pending });

  const submit = () => {
    if (canSend) void send(user, conversationId);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // The Enter that ends a composition belongs to the input method (229: Safari, which ends it too early).
    const composing = event.nativeEvent.isComposing || event.keyCode === 229;
    if (event.key !== 'Enter' || event.shiftKey || composing) return;
    event.preventDefault();
    submit();
  };

  return (
    <form
      className="mx-auto w-full max-w-3xl px-4 pb-[max(0.5rem,env(safe-area-inset-bottom))]"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <div className="flex items-end gap-2 rounded-lg border border-line bg-raised p-2 transition-colors duration-150 ease-out focus-within:border-control">
        <textarea
          ref={box}
          rows={1}
          dir="auto"
          aria-label="Message"
          aria-describedby={hintId}
          placeholder="Message STOLAS..."
          enterKeyHint="send"
          maxLength={MAX_MESSAGE_LENGTH}
          value={text}
          disabled={pending}
          onChange={({ target }) => writeDraft(user.id, conversationId, { text: target.value })}
          onKeyDown={onKeyDown}
          className="min-h-10 flex-1 resize-none bg-transparent px-2 py-1.5 outline-none placeholder:text-muted pointer-coarse:min-h-11"
          style={{ maxHeight: MAX_HEIGHT_PX }}
        />
        {running ? (
          <StopButton key={running.id} replyId={running.id} />
        ) : (
          <IconButton type="submit" label="Send message" variant="primary" disabled={!canSend}>
            <ArrowUp aria-hidden="true" />
          </IconButton>
        )}
      </div>
      <p id={hintId} className="pt-2 text-center text-xs text-muted">
        Press Enter to send • Shift+Enter for new line
      </p>
    </form>
  );
}

function StopButton({ replyId }: { replyId: string }) {
  const stop = useMutation({
    mutationFn: () => stopReply(replyId),
    onSuccess: (state) => live.applyState(state),
    onError: (error) => {
      // It ended by itself in the same moment.
      if (error instanceof ApiError && error.status === 409) live.refresh(replyId);
      else toast({ title: 'The reply could not be stopped', variant: 'destructive' });
    },
  });
  return (
    <IconButton
      label="Stop"
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

/** As tall as the text, up to the limit. */
function grow(box: HTMLTextAreaElement): void {
  box.style.height = 'auto';
  if (box.value !== '') box.style.height = `${Math.min(box.scrollHeight, MAX_HEIGHT_PX)}px`;
}

/** Ready to write in whatever was opened and after every send; on touch that would call up the keyboard. */
function useFocus(
  box: RefObject<HTMLTextAreaElement | null>,
  { conversationId, pending }: { conversationId: string; pending: boolean },
): void {
  useEffect(() => {
    if (!pending && window.matchMedia('(pointer: fine)').matches) box.current?.focus();
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- another conversation is the very occasion
  }, [box, conversationId, pending]);
}
