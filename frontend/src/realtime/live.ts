import type {
  Conversation,
  Message,
  Reply,
  ReplyDelta,
  ReplyState,
  ReplyTail,
  SentMessage,
  ServerEvents,
  User,
} from '@stolas/backend/contract';
import { isActive } from '@stolas/backend/contract';
import type { Query, QueryClient } from '@tanstack/react-query';
import * as cache from './cache.ts';
import { fileKey, filesKey, removeFile, updateFile } from './file-cache.ts';
import { Polling } from './polling.ts';
import {
  applyDelta,
  applySnapshot,
  applyState,
  applyTail,
  contentOf,
  hasGap,
  type ReplyView,
  UNKNOWN_REPLY,
  viewFrom,
} from './reply-reducer.ts';
import {
  connectionState,
  dropView,
  resetLiveStore,
  setConnection,
  setStalled,
  setView,
  viewIds,
  viewOf,
} from './reply-store.ts';
import { Rereads } from './rereads.ts';
import { type FetchTail, Tails } from './tails.ts';

export interface LiveOptions {
  queryClient: QueryClient;
  fetchTail: FetchTail;
  /** An error of `fetchTail` that a retry does not solve. */
  isFinal: (error: unknown) => boolean;
  now?: () => number;
}

/** Events that other parts of the app handle. */
export interface LiveListeners {
  onAccount: (user: User) => void;
  onSessionEnded: () => void;
  /** A reply is slow, so the user should be informed. */
  onSlow: () => void;
  /** A message was accepted, from any tab. */
  onSent: (sent: SentMessage) => void;
}

type Where = Pick<ReplyDelta, 'replyId' | 'conversationId'>;

/** A first read that is under way when the socket connects gets this long to end. */
const FIRST_READ_MS = 50;

/** Sent messages that a page in flight may lack; older ones are in it. */
const MAX_RECENT = 20;

/** Combines what is pushed, read and polled: text goes to the reply store, everything else to the query cache. */
export class Live {
  private readonly client: QueryClient;
  private readonly tails: Tails;
  private readonly polling: Polling;
  private readonly rereads: Rereads;
  private listeners: LiveListeners | undefined;
  private recent: { sent: SentMessage; number: number }[] = [];
  private sentCount = 0;

  constructor({ queryClient, fetchTail, isFinal, now = Date.now }: LiveOptions) {
    this.client = queryClient;
    this.tails = new Tails({ fetchTail, viewOf, isFinal, onTail: (tail) => this.onTail(tail) });
    this.rereads = new Rereads((conversationId) => this.reread(conversationId));
    this.polling = new Polling({
      isConnected: () => connectionState() === 'connected',
      ask: (replyId) => this.tails.ask(replyId),
      onSlow: () => this.listeners?.onSlow(),
      setStalled,
      now,
    });
  }

  readonly handlers: ServerEvents = {
    'reply:delta': (delta) => this.update(delta, (view) => applyDelta(view, delta)),
    'reply:state': (state) => this.applyState(state),
    'message:created': (sent) => this.addSent(sent),
    'message:updated': (message) => this.updateMessage(message),
    'conversation:changed': (conversation) => this.conversationChanged(conversation),
    'conversation:deleted': ({ id }) => this.conversationDeleted(id),
    'account:changed': (user) => this.accountChanged(user),
    'file:changed': (file) => updateFile(this.client, file),
    'file:deleted': ({ id }) => removeFile(this.client, id),
    'sessions:changed': () => void this.client.invalidateQueries({ queryKey: cache.sessionsKey }),
    'session:ended': () => this.listeners?.onSessionEnded(),
  };

  start(listeners: LiveListeners): void {
    this.listeners = listeners;
  }

  stop(): void {
    this.listeners = undefined;
    this.recent = [];
    this.rereads.stop();
    this.polling.stop();
    this.tails.stop();
    resetLiveStore();
  }

  /** Reads once what is on screen; what is not on screen is dropped and read again when it is opened. */
  connected(): void {
    setConnection('connected');
    this.client.removeQueries({ queryKey: ['messages'], type: 'inactive' });
    for (const replyId of viewIds()) {
      const view = viewOf(replyId);
      if (view && !this.polling.isWatching(replyId) && !hasGap(view)) dropView(replyId);
    }
    this.polling.refreshAll();
    this.repeat(['messages']);
    this.repeat(cache.conversationsKey);
    this.repeat(cache.sessionsKey);
    this.repeat(cache.billingKey);
    this.repeat(cache.usageKey);
    this.repeat(filesKey);
    this.repeat(fileKey());
  }

  disconnected(): void {
    setConnection('disconnected');
  }

  /** Polls a reply that is on screen and active. @returns a function that ends it. */
  watch(reply: Reply): () => void {
    if (!viewOf(reply.id)) setView(reply.id, applySnapshot(UNKNOWN_REPLY, reply));
    return this.polling.watch(reply.id);
  }

  refresh(replyId: string): void {
    this.polling.refresh(replyId);
  }

  /** A message was accepted, according to this tab's own request or the socket: the path moves to it. */
  addSent(sent: SentMessage): void {
    const { conversationId } = sent.message;
    const isNew = !this.recent.some((other) => other.sent.reply.id === sent.reply.id);
    const isShown = cache.cachedReply(this.client, where(sent.reply)) !== undefined;
    // The answer and the event have the same content. The path may have moved on between the two.
    if (cache.holdsMessages(this.client, conversationId) && (isNew || isShown)) {
      // Deltas may arrive before the message that they belong to.
      const current = { ...sent, reply: this.reconcileReply(sent.reply) };
      const held = cache.cachedMessages(this.client, conversationId);
      const moved = isShown ? held : cache.pathWith(held ?? [], current);
      if (moved) cache.setMessages(this.client, conversationId, moved);
      else this.reread(conversationId);
    }
    if (isNew) this.remember(sent);
    this.listeners?.onSent(sent);
  }

  /** A conversation as the server has it now. A tab that shows another branch than the active one reads it again. */
  conversationChanged(conversation: Conversation): void {
    cache.upsertConversation(this.client, conversation);
    const { id, activeLeafId } = conversation;
    if (activeLeafId === null || !cache.holdsMessages(this.client, id)) return;
    this.rereads.unless(id, () => {
      const path = cache.cachedMessages(this.client, id);
      return path?.at(-1)?.id === activeLeafId;
    });
  }

  private conversationDeleted(id: string): void {
    cache.removeConversation(this.client, id);
    this.client.removeQueries({ queryKey: cache.messagesKey(id), type: 'inactive' });
  }

  private accountChanged(user: User): void {
    this.listeners?.onAccount(user);
    void this.client.invalidateQueries({ queryKey: cache.billingKey });
    void this.client.invalidateQueries({ queryKey: cache.usageKey });
  }

  applyState(state: ReplyState): void {
    this.update(state, (view) => applyState(view, state));
  }

  /**
   * The reply as the server answered a request to continue it. It is queued again, unless the new attempt has already
   * begun.
   */
  continued(reply: Reply): void {
    const view = viewOf(reply.id) ?? viewFrom(cache.cachedReply(this.client, where(reply)));
    if (view.attempt > reply.attempt || isActive(view.status)) return;
    setView(reply.id, applySnapshot({ ...UNKNOWN_REPLY, status: reply.status }, reply));
    const at = { messageId: reply.id, conversationId: reply.conversationId };
    cache.updateMessage(this.client, at, () => reply);
  }

  /** Reads the last page of a conversation's messages and merges it with what is pushed meanwhile. */
  async read(conversationId: string, fetchPage: () => Promise<Message[]>): Promise<cache.Messages> {
    const before = this.sentCount;
    const page = await fetchPage();
    const held = cache.cachedMessages(this.client, conversationId) ?? [];
    const path = cache.joinPages(held, this.reconcilePage(page));
    const missed = this.recent.filter(
      ({ sent, number }) => number > before && sent.message.conversationId === conversationId,
    );
    return missed.reduce((merged, { sent }) => {
      if (merged.some(({ id }) => id === sent.reply.id)) return merged;
      const reply = this.reconcileReply(sent.reply);
      return cache.pathWith(merged, { ...sent, reply }) ?? merged;
    }, path);
  }

  /** Puts an earlier page above the messages that are shown; `before` is the message that it was read for. */
  prepend(conversationId: string, before: string, page: readonly Message[]): void {
    const held = cache.cachedMessages(this.client, conversationId);
    if (held?.[0]?.id !== before) return;
    cache.setMessages(this.client, conversationId, [...this.reconcilePage(page), ...held]);
  }

  private reconcilePage(page: readonly Message[]): readonly Message[] {
    return page.map((message) =>
      message.role === 'assistant' ? this.reconcileReply(message) : message,
    );
  }

  private reconcileReply(reply: Reply): Reply {
    const before = viewOf(reply.id);
    const cached = cache.cachedReply(this.client, where(reply));
    if (!before && !cached) {
      if (isActive(reply.status)) setView(reply.id, applySnapshot(UNKNOWN_REPLY, reply));
      return reply;
    }
    const view = applySnapshot(before ?? viewFrom(cached), reply);
    // A reply that is and was complete needs only the cache.
    if (before || hasGap(view) || isActive(view.status)) setView(reply.id, view);
    this.polling.heard(reply.id);
    if (hasGap(view)) this.tails.ask(reply.id);
    const { error: _former, ...rest } = reply;
    // Metadata is only ever added: a page may have been read before it was.
    const metadata = cached?.metadata && { ...cached.metadata, ...reply.metadata };
    return { ...rest, ...(metadata && { metadata }), ...wholePatch(view) };
  }

  private updateMessage(message: Message): void {
    const { id: messageId, conversationId } = message;
    if (!cache.cachedMessages(this.client, conversationId)) return;
    const current = message.role === 'assistant' ? this.reconcileReply(message) : message;
    cache.updateMessage(this.client, { messageId, conversationId }, () => current);
  }

  private onTail(tail: ReplyTail): void {
    this.update(tail, (view) => applyTail(view, tail));
  }

  private update(at: Where, step: (view: ReplyView) => ReplyView): void {
    const { replyId, conversationId } = at;
    if (!cache.holdsMessages(this.client, conversationId)) {
      dropView(replyId);
      return;
    }
    const known = viewOf(replyId);
    const cached = known ? undefined : cache.cachedReply(this.client, at);
    if (!known && !cached) this.rereadForUnknown(at);
    const before = known ?? viewFrom(cached);
    const after = step(before);
    if (after === before) return;
    this.polling.heard(replyId);
    const whole = !isActive(after.status) && !hasGap(after);
    const changed = after.status !== before.status || after.attempt !== before.attempt;
    if (whole) cache.patchReply(this.client, at, wholePatch(after));
    else if (changed) cache.patchReply(this.client, at, patchFrom(after));
    // The view stays when it is whole: the query cache notifies later than the reply store, and in between the text
    // would be gone.
    setView(replyId, after);
    if (hasGap(after)) this.tails.ask(replyId);
  }

  /** The message of this reply may have been missed: `message:created` comes before the deltas, unless it is lost. */
  private rereadForUnknown(at: Where): void {
    this.rereads.unless(at.conversationId, () => {
      const path = cache.cachedMessages(this.client, at.conversationId);
      return path?.some(({ id }) => id === at.replyId) ?? false;
    });
  }

  private reread(conversationId: string): void {
    this.repeat(cache.messagesKey(conversationId));
  }

  /** Reads again. A first read that is under way may have missed what was pushed: it is shown or, if slow, cancelled. */
  private repeat(queryKey: readonly string[]): void {
    const isFirst = ({ state }: Query) => state.data === undefined;
    const cached = this.client.getQueryCache();
    const first = cached.findAll({ queryKey, fetchStatus: 'fetching', predicate: isFirst });
    for (const query of first) void this.repeatFirst(query);
    const predicate = (query: Query) => !first.includes(query);
    void this.client.invalidateQueries({ queryKey, predicate });
  }

  private async repeatFirst(query: Query): Promise<void> {
    await Promise.race([query.promise?.catch(() => undefined), pause(FIRST_READ_MS)]);
    if (query.state.data === undefined) await query.cancel({ silent: true, revert: true });
    await this.client.invalidateQueries({ queryKey: query.queryKey, exact: true });
  }

  private remember(sent: SentMessage): void {
    this.sentCount += 1;
    this.recent = [...this.recent, { sent, number: this.sentCount }].slice(-MAX_RECENT);
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const where = ({ id, conversationId }: Reply): Where => ({ replyId: id, conversationId });

const patchFrom = ({ status, attempt, error }: ReplyView): cache.ReplyPatch => ({
  status,
  attempt,
  ...(error && { error }),
});

const wholePatch = (
  view: ReplyView,
): Required<Pick<cache.ReplyPatch, 'parts'>> &
  cache.ReplyPatch & { content: string; parts: Reply['parts'] } => ({
  ...patchFrom(view),
  parts: [...view.parts],
  content: contentOf(view.parts),
});
