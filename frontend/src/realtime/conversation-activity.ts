import type { Conversation, CreatedMessage, ReplyState } from '@stolas/backend/contract';
import { isActive } from '@stolas/backend/contract';
import { create } from 'zustand';
import { markPageTitle } from '../lib/page-title.ts';

/** The activity of conversations that this tab has received, shown or not. It is view state and never stored. */
interface Activity {
  /** The running reply of a conversation, by the conversation's id. */
  running: Readonly<Record<string, string>>;
  /** Conversations whose reply ended while this tab showed another one. */
  unread: Readonly<Record<string, true>>;
  /** The last message of somebody else on another branch than the one that is shown. */
  elsewhere: Readonly<Record<string, { replyId: string; name: string }>>;
  /** Conversations that were deleted and not restored. */
  deleted: Readonly<Record<string, true>>;
  /** Conversations of others that the user may no longer read. */
  lost: Readonly<Record<string, true>>;
}

const NOTHING: Activity = { running: {}, unread: {}, elsewhere: {}, deleted: {}, lost: {} };

export const useActivity = create<Activity>(() => NOTHING);

let openId: string | null = null;

/** Sets which conversation this tab shows; its reply is not unread. */
export function setOpenConversation(conversationId: string | null): void {
  openId = conversationId;
  if (conversationId) setEntry('unread', conversationId, undefined);
}

export function noteReply({
  conversationId,
  replyId,
  status,
}: Pick<ReplyState, 'conversationId' | 'replyId' | 'status'>): void {
  const isRunning = useActivity.getState().running[conversationId] === replyId;
  if (isActive(status)) {
    if (!isRunning) setEntry('running', conversationId, replyId);
    return;
  }
  if (!isRunning) return;
  setEntry('running', conversationId, undefined);
  if (conversationId === openId) markPageTitle();
  else if (status !== 'stopped') setEntry('unread', conversationId, true);
}

/** A message of somebody else leaves the branch that is shown as it is. */
export function noteElsewhere({ message, reply, elsewhere }: CreatedMessage): void {
  const name = (reply.author ?? message.author)?.name;
  if (elsewhere && name !== undefined)
    setEntry('elsewhere', reply.conversationId, { replyId: reply.id, name });
}

export const forgetElsewhere = (conversationId: string): void =>
  setEntry('elsewhere', conversationId, undefined);

export const noteDeleted = (conversationId: string): void => noteGone('deleted', conversationId);

export const noteLost = (conversationId: string): void => noteGone('lost', conversationId);

function noteGone(kind: 'deleted' | 'lost', conversationId: string): void {
  setEntry(kind, conversationId, true);
  setEntry('running', conversationId, undefined);
  setEntry('unread', conversationId, undefined);
  setEntry('elsewhere', conversationId, undefined);
}

/** The conversation exists and is the user's to read. @returns whether it was not before */
export function noteExisting({ id }: Pick<Conversation, 'id'>): boolean {
  const { deleted, lost } = useActivity.getState();
  const wasGone = id in deleted || id in lost;
  setEntry('deleted', id, undefined);
  setEntry('lost', id, undefined);
  return wasGone;
}

/** A disconnected tab misses events: the server repeats every 2 s which replies run. */
export const forgetRunning = (): void => useActivity.setState({ running: {} });

function setEntry<K extends keyof Activity>(
  kind: K,
  id: string,
  value: Activity[K][string] | undefined,
): void {
  const { [id]: former, ...others } = useActivity.getState()[kind] as Record<string, unknown>;
  if (former === value) return;
  useActivity.setState({ [kind]: value === undefined ? others : { ...others, [id]: value } });
}
