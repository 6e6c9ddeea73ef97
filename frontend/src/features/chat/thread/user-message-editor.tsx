import { t as common } from 'virtual:texts/app';
import { t } from 'virtual:texts/chat';
import type { MessageFile, UserMessage } from '@stolas/backend/contract';
import {
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
} from 'react';
import { Link } from 'wouter';
import { Button } from '../../../ui/button.tsx';
import { LengthNotice } from '../composer/length-notice.tsx';
import { useIsBusy } from '../sending/busy.ts';
import { isSendable, isTooLong } from '../sending/drafts.ts';
import type { SendProblem } from '../sending/send-errors.ts';
import { directionOf, focusComposer, isSendKey, useGrowing } from '../text-box.ts';
import { useEditFiles } from './use-edit-files.ts';
import { type Edit, sendEdit, writeEdit } from './user-message-edits.ts';

const MAX_HEIGHT_PX = 400;

interface UserMessageEditorProps {
  message: UserMessage;
  edit: Edit;
  onCancel: () => void;
}

/** The bubble of a user message while it is edited. */
export function UserMessageEditor({ message, edit, onCancel }: UserMessageEditorProps) {
  const { text, isSending = false } = edit;
  const box = useRef<HTMLTextAreaElement>(null);
  const noteId = useId();
  const lengthId = useId();
  const isBusy = useIsBusy(message.conversationId);
  const { files, leftOut, isReading } = useEditFiles(message);
  const canSend = !isBusy && !isSending && !isReading && isSendable(text);
  useGrowing(box, { text, maxHeight: MAX_HEIGHT_PX });
  useFocusAtEnd(box);
  const buttons = useRef<HTMLDivElement>(null);
  useInView(buttons, text);

  const submit = async () => {
    if (canSend && (await sendEdit(message, files))) focusComposer();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' && !isSendKey(event)) return;
    if (event.key !== 'Escape') void submit();
    else if (!isSending) onCancel();
    event.preventDefault();
  };

  return (
    <form
      className="w-full rounded-lg rounded-br-sm bg-bubble p-2"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <textarea
        ref={box}
        rows={1}
        dir={directionOf(text)}
        aria-label={t('editMessage')}
        aria-describedby={`${lengthId} ${noteId}`}
        aria-invalid={isTooLong(text) || undefined}
        enterKeyHint="send"
        value={text}
        readOnly={isSending}
        onChange={({ target }) => writeEdit(message.id, { text: target.value })}
        onKeyDown={onKeyDown}
        className="block w-full resize-none bg-transparent px-2 py-1.5 outline-none"
        style={{ maxHeight: MAX_HEIGHT_PX }}
      />
      <div
        ref={buttons}
        className="flex scroll-mb-16 flex-wrap items-center justify-end gap-2 px-1 pt-2 pb-1"
      >
        <div className="min-w-0 flex-[1_1_10rem]">
          <LengthNotice id={lengthId} text={text} />
          <div id={noteId} className="text-xs text-muted">
            <LeftOut files={leftOut} />
            <State edit={edit} isBusy={isBusy} />
          </div>
        </div>
        <div className="flex gap-2">
          <Button variant="ghost" size="sm" disabled={isSending} onClick={onCancel}>
            {common('cancel')}
          </Button>
          <Button type="submit" variant="primary" size="sm" busy={isSending} disabled={!canSend}>
            {t('send')}
          </Button>
        </div>
      </div>
    </form>
  );
}

function LeftOut({ files: [first, ...others] }: { files: readonly MessageFile[] }) {
  if (!first) return null;
  const { name = t('unnamedFile') } = first;
  return <p>{t('editLeavesOut', { count: others.length + 1, name })}</p>;
}

/** Why it was not sent, or cannot be sent now. */
const State = ({ edit: { problem, isSending }, isBusy }: { edit: Edit; isBusy: boolean }) => (
  <p role={problem ? 'alert' : undefined}>
    {problem ? <Problem {...problem} /> : isBusy && !isSending && t('editBusy')}
  </p>
);

const Problem = ({ message, link }: SendProblem) => (
  <>
    <span className="text-danger">{message}</span>{' '}
    {link && (
      <Link href={link.path} className="font-medium text-cool hover:underline">
        {link.label}
      </Link>
    )}
  </>
);

/** Keeps the buttons of the editor in view when it opens, and while it grows. */
function useInView(buttons: RefObject<HTMLElement | null>, text: string): void {
  useLayoutEffect(() => {
    buttons.current?.scrollIntoView({ block: 'nearest' });
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- the editor grows with its text
  }, [buttons, text]);
}

function useFocusAtEnd(box: RefObject<HTMLTextAreaElement | null>): void {
  useEffect(() => {
    const { current } = box;
    if (!current) return;
    current.focus({ preventScroll: true });
    current.setSelectionRange(current.value.length, current.value.length);
  }, [box]);
}
