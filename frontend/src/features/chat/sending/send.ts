import { t } from 'virtual:texts/chat';
import type { User } from '@stolas/backend/contract';
import { randomUuid } from '../../../lib/uuid.ts';
import { toast } from '../../../ui/toast-store.ts';
import { endSession } from '../../auth/index.ts';
import { depthOfPersona, personaOfNewChat, setPersonaOfNewChat } from '../../personas/index.ts';
import { isNewShown, NEW, select, selected } from '../selection.ts';
import { describeLeftOut, messageFilesOf, releaseUploader, uploadsEnded } from './attachments.ts';
import { chooseForNew, type NewChoices, takeNewChoices } from './choices.ts';
import { deliverSoon, isSessionOf } from './deliver.ts';
import { clearSentDraft, type Draft, isSendable, readDraft, writeDraft } from './drafts.ts';
import {
  addUnsent,
  endPending,
  endWaiting,
  hasUnsent,
  isWaiting,
  type PendingSend,
  setPending,
  startWaiting,
  useOutbox,
} from './outbox.ts';
import { forgetPastes, pastesIn } from './pastes.ts';
import { payerOfNew } from './payer.ts';
import { pinMessage } from './pinned.ts';
import { postAndShow } from './post.ts';
import { failureOf, showSendError, showSlow } from './send-errors.ts';

/** Sends the draft of a conversation as soon as its files are uploaded, unless `endWaiting` is called before. */
export async function sendWhenUploaded(user: User, conversationId: string): Promise<void> {
  if (isWaiting(conversationId)) return;
  startWaiting(conversationId);
  await uploadsEnded(readDraft(user.id, conversationId));
  if (isWaiting(conversationId)) await send(user, conversationId);
}

interface Attempted {
  /** Of the draft. */
  conversationId: string;
  /** Of the message: a new conversation has the id of this browser until it is created. */
  target: string;
  pending: PendingSend;
}

/**
 * Sends the draft of a conversation with the files that are stored. The draft stays stored until the server has accepted
 * it, so that the text is kept when the send fails, and sending again creates no second message. While the server cannot
 * be reached the message waits in its conversation.
 */
export async function send(user: User, conversationId: string): Promise<void> {
  endWaiting(conversationId);
  const draft = readDraft(user.id, conversationId);
  if (!isSendable(draft.text) || useOutbox.getState().pending[conversationId]) return;
  const { clientMessageId = randomUuid(), clientConversationId = randomUuid() } = draft;
  const isNew = conversationId === NEW;
  const leftOut = describeLeftOut(draft);
  const pending = { clientMessageId, ...messageOf(user, conversationId, draft) };
  const attempted = {
    conversationId,
    target: isNew ? clientConversationId : conversationId,
    pending,
  };
  writeDraft(user.id, conversationId, {
    ...draft,
    clientMessageId,
    ...(isNew && { clientConversationId }),
  });
  pinMessage(clientMessageId);
  if (!navigator.onLine || hasUnsent(conversationId)) {
    postpone(user, attempted);
    if (leftOut) toast({ title: leftOut });
    return;
  }
  setPending(conversationId, pending);
  // The message is shown as it is sent, in the place of the welcome panel.
  if (isNew && isNewShown() && selected() === null) select(NEW);
  try {
    await postAndShow(user.id, attempted.target, pending);
    forgetPastes(conversationId);
    if (isNew) setPersonaOfNewChat(null);
    toast({ title: t('messageSent'), ...(leftOut && { description: leftOut }) });
  } catch (error) {
    await handleFailure(error, user, attempted);
  }
}

/** The message of a draft. It uses up the choices for a new conversation. */
function messageOf(
  user: User,
  conversationId: string,
  draft: Draft,
): Omit<PendingSend, 'clientMessageId'> {
  const isNew = conversationId === NEW;
  const files = messageFilesOf(draft);
  const pastes = pastesIn(conversationId, draft.text);
  const { personaId, panel } = isNew ? personaOfNewChat() : { personaId: null };
  const depth = depthOfPersona(personaId);
  return {
    content: draft.text,
    ...(files.length > 0 && { files }),
    ...(pastes.length > 0 && { pastes }),
    ...(isNew && { choices: { ...(depth && { depth }), ...choicesOfNew(user) } }),
    ...(personaId !== null && { personaId, ...(panel && { panel }) }),
    createdAt: new Date().toISOString(),
  };
}

function choicesOfNew(user: User): NewChoices {
  const { workspaceId: chosen, ...choices } = takeNewChoices();
  const workspaceId = payerOfNew(user, chosen);
  return { ...choices, ...(workspaceId && { workspaceId }) };
}

/** The message leaves the composer and waits in its conversation. */
function postpone(
  user: User,
  { conversationId, target, pending }: Attempted,
  unconfirmed: { unconfirmedSince?: number } = {},
): void {
  addUnsent(user.id, { ...pending, ...unconfirmed, conversationId: target });
  if (conversationId === NEW) setPersonaOfNewChat(null);
  if (clearSentDraft(user.id, conversationId, pending.clientMessageId)) {
    releaseUploader(user, conversationId);
  }
  endPending(conversationId, pending.clientMessageId);
  if (conversationId === NEW && isNewShown()) {
    select(target, { replace: selected() === NEW });
  }
  deliverSoon(user);
}

async function handleFailure(error: unknown, user: User, attempted: Attempted): Promise<void> {
  const { conversationId, pending } = attempted;
  // What was written is removed from the browser at sign-out, and else kept as a draft.
  if (!isSessionOf(user)) return void endPending(conversationId, pending.clientMessageId);
  const failure = failureOf(error);
  if (failure === 'unconfirmed') showSlow();
  // No longer pending: the socket reported it as accepted before the answer failed.
  if (useOutbox.getState().pending[conversationId] !== pending) return;
  if (failure === 'unconfirmed') postpone(user, attempted, { unconfirmedSince: Date.now() });
  else if (failure === 'unreachable') postpone(user, attempted);
  else {
    endPending(conversationId, pending.clientMessageId);
    if (pending.choices) chooseForNew(pending.choices);
    if (failure === 'signedOut') await endSession();
    else showSendError(error, user);
  }
}
