import { t as common } from 'virtual:texts/app';
import { t } from 'virtual:texts/chat';
import type { Message } from '@stolas/backend/contract';
import { useMutation } from '@tanstack/react-query';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { type RefObject, useEffect, useRef } from 'react';
import { userMessageOf } from '../../../lib/api.ts';
import { toastError } from '../../../ui/toast-store.ts';
import { useUserPart } from '../../auth/index.ts';
import { showBranch } from '../show-branch.ts';
import { IdleButton } from './idle-button.tsx';

type Direction = 'previous' | 'next';

/** Switching replaces the message and its buttons: the focus moves to those of the message that is shown then. */
let focusNext: { messageId: string; direction: Direction } | undefined;

/** Switches between the versions of a message: `‹ 2/3 ›`. Nothing when there is only one. */
export function BranchSwitcher({ message }: { message: Message }) {
  return message.siblingIds.length > 1 && <Switcher message={message} />;
}

function Switcher({ message }: { message: Message }) {
  const { id, conversationId, siblingIds } = message;
  const userId = useUserPart((user) => user.id);
  const { previous, next } = useFocusAfterSwitch(id);
  const { mutate, isPending } = useMutation({ mutationFn: switchTo, onError: showSwitchError });

  const index = siblingIds.indexOf(id);
  const position = t('version', { n: index + 1, count: siblingIds.length });
  const buttonFor = (direction: Direction, box: RefObject<HTMLButtonElement | null>) => {
    const leafId = siblingIds[direction === 'previous' ? index - 1 : index + 1];
    const Icon = direction === 'previous' ? ChevronLeft : ChevronRight;
    return (
      <IdleButton
        ref={box}
        conversationId={conversationId}
        startedBy={userId}
        label={t(direction === 'previous' ? 'previousVersion' : 'nextVersion')}
        className="w-7"
        disabled={isPending || leafId === undefined}
        onClick={() => leafId && mutate({ conversationId, leafId, direction })}
      >
        <Icon aria-hidden="true" className="rtl:rotate-180" />
      </IdleButton>
    );
  };

  return (
    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a fieldset is for forms
    <div role="group" aria-label={position} className="flex items-center">
      {buttonFor('previous', previous)}
      <span aria-hidden="true" className="tabular-nums">
        {index + 1}/{siblingIds.length}
      </span>
      {buttonFor('next', next)}
    </div>
  );
}

interface Switch {
  conversationId: string;
  leafId: string;
  direction: Direction;
}

async function switchTo({ conversationId, leafId, direction }: Switch): Promise<void> {
  await showBranch(conversationId, leafId, () => {
    focusNext = { messageId: leafId, direction };
  });
}

const showSwitchError = (error: Error): void =>
  void toastError(common('error'), userMessageOf(error, t('versionFailed')));

function useFocusAfterSwitch(messageId: string) {
  const previous = useRef<HTMLButtonElement>(null);
  const next = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (focusNext?.messageId !== messageId) return;
    const [wanted, other] =
      focusNext.direction === 'previous' ? [previous, next] : [next, previous];
    focusNext = undefined;
    const target = wanted.current?.disabled ? other : wanted;
    target.current?.focus();
  }, [messageId]);
  return { previous, next };
}
