import { t } from 'virtual:texts/chat';
import type { User } from '@stolas/backend/contract';
import { getAuthToken } from '../../../lib/auth-token.ts';
import { queryClient } from '../../../lib/query-client.ts';
import { GIVE_UP_MS, POLL_MS } from '../../../realtime/index.ts';
import { endSession } from '../../auth/index.ts';
import type { KnownFile } from '../../files/index.ts';
import { setPanelOfNewChat, setPersonaOfNewChat } from '../../personas/index.ts';
import { messagesQuery } from '../api.ts';
import { NEW, select, selected } from '../selection.ts';
import { isUncreated } from '../use-conversation.ts';
import { moveDraft } from './attachments.ts';
import { isGenerating } from './busy.ts';
import { chooseForNew } from './choices.ts';
import { readDraft, writeDraft } from './drafts.ts';
import {
  followUnsent,
  markSending,
  putUnsent,
  readUnsent,
  removeUnsent,
  type UnsentMessage,
} from './outbox.ts';
import { endSend, isSend, postAndShow } from './post.ts';
import { describeSendError, failureOf } from './send-errors.ts';

/** `later`: not before something else has ended; `never`: not by itself. */
type Outcome = 'sent' | 'later' | 'never' | 'unreachable';

/** The user for whom this page delivers, and their session. */
let session: { userId: string; token: string | null } | undefined;

/**
 * Whether the session of this browser still is the user's. It may have ended, or be another user's, before this page is left; calls are made in
 * whichever it is.
 */
export const isSessionOf = ({ id }: User): boolean =>
  session?.userId === id && session.token === getAuthToken();

const timers = new Map<string, ReturnType<typeof setTimeout>>();
const running = new Map<string, Promise<void>>();

/** Sends the unsent messages of a user after a short pause, and again until none is left. */
export function deliverSoon(user: User, pauseMs = POLL_MS): void {
  clearTimeout(timers.get(user.id));
  timers.set(
    user.id,
    setTimeout(() => void deliver(user), pauseMs),
  );
}

/** Sends the unsent messages of a user in their order: one at a time, from one tab at a time. */
export async function deliver(user: User): Promise<void> {
  if (readUnsent(user.id).length === 0) return;
  const delivering = running.get(user.id) ?? inTurn(user, () => deliverAll(user));
  running.set(user.id, delivering);
  try {
    await delivering;
  } finally {
    running.delete(user.id);
  }
  if (isSessionOf(user) && readUnsent(user.id).some(({ problem }) => !problem)) deliverSoon(user);
}

/** Without the lock (pages without https) two tabs may send at once: the server then accepts one of the two. */
function inTurn(user: User, work: () => Promise<void>): Promise<void> {
  const { locks } = navigator as { locks?: LockManager | null };
  return locks ? locks.request(`unsent:${user.id}`, work) : work();
}

async function deliverAll(user: User): Promise<void> {
  const closed = new Set<string>();
  for (;;) {
    // Another tab may have changed the list, and a conversation that was created has another id.
    const next = readUnsent(user.id).find(({ conversationId }) => !closed.has(conversationId));
    if (!next || !navigator.onLine || !isSessionOf(user)) return;
    const outcome = await deliverOne(user, next);
    if (outcome === 'unreachable') return;
    // Later messages of the conversation keep their place.
    if (outcome !== 'sent') closed.add(next.conversationId);
  }
}

async function deliverOne(user: User, message: UnsentMessage): Promise<Outcome> {
  const { conversationId, clientMessageId, problem, unconfirmedSince } = message;
  if (problem) return 'never';
  if (isGenerating(conversationId)) return 'later';
  markSending(clientMessageId);
  try {
    if (unconfirmedSince && (await isAccepted(message)))
      endSend(user.id, conversationId, clientMessageId);
    // An unsent message stays in its place, and is sent again from there.
    else await postAndShow(user.id, conversationId, message, { once: true });
    return 'sent';
  } catch (error) {
    return handleFailure(error, user, message);
  } finally {
    markSending(undefined);
  }
}

async function handleFailure(error: unknown, user: User, message: UnsentMessage): Promise<Outcome> {
  if (!isSessionOf(user)) return 'unreachable';
  // It was cancelled, or the socket reported it as accepted before the answer failed.
  const isLeft = readUnsent(user.id).some((m) => m.clientMessageId === message.clientMessageId);
  if (!isLeft) return 'sent';
  const failure = failureOf(error);
  if (failure === 'unreachable' || failure === 'unavailable') return 'unreachable';
  if (failure === 'busy') return 'later';
  if (failure === 'signedOut') {
    await endSession();
    return 'unreachable';
  }
  const { unconfirmedSince = Date.now() } = message;
  if (failure === 'unconfirmed' && Date.now() - unconfirmedSince < GIVE_UP_MS) {
    putUnsent(user.id, { ...message, unconfirmedSince });
    return 'later';
  }
  putUnsent(user.id, { ...message, problem: describeSendError(error, user) });
  return 'never';
}

/** Whether the conversation has the message: its answer may have been lost. */
async function isAccepted({ conversationId, clientMessageId }: UnsentMessage): Promise<boolean> {
  if (isUncreated(conversationId)) return false;
  const query = { ...messagesQuery(conversationId), staleTime: 0 };
  const messages = await queryClient.fetchQuery(query);
  return messages.some((message) => isSend(message, clientMessageId));
}

/** Shows the unsent messages of a user and sends them when the server can be reached. @returns a function that ends it. */
export function startDelivery(user: User): () => void {
  session = { userId: user.id, token: getAuthToken() };
  const unfollow = followUnsent(user.id);
  const now = () => void deliver(user);
  now();
  window.addEventListener('online', now);
  return () => {
    unfollow();
    clearTimeout(timers.get(user.id));
    window.removeEventListener('online', now);
  };
}

/** The message is sent as if it had never been refused. */
export function retryUnsent(userId: string, message: UnsentMessage): void {
  const { problem: _former, unconfirmedSince: _since, ...rest } = message;
  putUnsent(userId, rest);
}

/**
 * Takes a message back: its text and its files return to the composer, below what is written there. It keeps its id, so
 * that one which was accepted after all is not sent twice. It returns to a new chat from a conversation in which it cannot
 * be written any more.
 */
export function returnToComposer(
  userId: string,
  message: UnsentMessage,
  { mayWrite = true }: { mayWrite?: boolean } = {},
): void {
  const { content, clientMessageId, conversationId, files: named = [] } = message;
  removeUnsent(userId, clientMessageId);
  // Other messages that wait in a conversation that is not created yet stay there.
  const next = readUnsent(userId).find((other) => other.conversationId === conversationId);
  const isNew = isUncreated(conversationId) && !next;
  const target = isNew || !mayWrite ? NEW : conversationId;
  passChoices(userId, message, next);
  const draft = readDraft(userId, target);
  const files = [...(draft.files ?? []), ...named.flatMap(toKnown)];
  const isAlone = draft.text === '';
  writeDraft(userId, target, {
    ...draft,
    text: isAlone ? content : `${draft.text}\n\n${content}`,
    files,
    ...(isAlone && { clientMessageId }),
    ...(isAlone && isNew && { clientConversationId: conversationId }),
  });
  if (target === conversationId) return;
  moveDraft(userId, conversationId, NEW);
  // What else waits in a conversation that is gone can be reached by Back.
  if (selected() === conversationId) select(NEW, { replace: mayWrite });
}

/** The choices for a new conversation pass from its first message to the one after it, else to the new chat. */
function passChoices(
  userId: string,
  { choices, personaId, panel }: UnsentMessage,
  next: UnsentMessage | undefined,
): void {
  if (!choices) return;
  if (next) {
    const ofPersona = { ...(personaId && { personaId }), ...(panel && { panel }) };
    putUnsent(userId, { ...next, choices, ...ofPersona });
    return;
  }
  const { temporary, ...others } = choices;
  // What is written in the new chat may be meant to be temporary.
  chooseForNew({ ...others, ...(temporary && { temporary }) });
  if (personaId) setPersonaOfNewChat(personaId);
  if (panel) setPanelOfNewChat(panel);
}

const toKnown = ({
  id,
  name = t('unnamedFile'),
  type = '',
  size = 0,
}: NonNullable<UnsentMessage['files']>[number]): KnownFile[] =>
  id ? [{ id, uploadId: id, name, type, size }] : [];
