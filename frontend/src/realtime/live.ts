import type {
  Conversation,
  Message,
  Reply,
  ReplyState,
  SentMessage,
  ServerEvents,
  User,
} from '@stolas/backend/contract';
import type { QueryClient } from '@tanstack/react-query';
import { noteBuild } from '../lib/build.ts';
import * as cache from './cache.ts';
import { CatchUp } from './catch-up.ts';
import { removeFile, updateFile } from './file-cache.ts';
import { LiveReplies, placeOf } from './live-replies.ts';
import { Polling } from './polling.ts';
import { PushedMeanwhile, Rereads, repeatRead } from './reads.ts';
import { applySnapshot, hasGap, UNKNOWN_REPLY } from './reply-reducer.ts';
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
import { type FetchTail, Tails } from './tails.ts';
import { type WatchCalls, Watching } from './watching.ts';

/** Its answer and an event report each send. For this many sends the first report is remembered. */
const MAX_RECENT_SENDS = 20;

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
  /** A reply of which `onSlow` informed has ended, or is no longer on screen. */
  onSlowEnded: () => void;
  /** A message was accepted, from any tab. */
  onSent: (sent: SentMessage) => void;
}

/** Combines events, reads and polls: text goes to the reply store, everything else to the query cache. */
export class Live {
  private readonly client: QueryClient;
  private readonly tails: Tails;
  private readonly polling: Polling;
  private readonly rereads = new Rereads((conversationId) => this.reread(conversationId));
  private readonly replies: LiveReplies;
  private readonly watching = new Watching((conversationId) =>
    this.readTails(cache.cachedMessages(this.client, conversationId)),
  );
  private readonly catchUp: CatchUp;
  private recentReplyIds: readonly string[] = [];
  private readonly sentMeanwhile = new PushedMeanwhile<SentMessage>();
  private readonly updatedMeanwhile = new PushedMeanwhile<Message>();
  private listeners: LiveListeners | undefined;

  constructor({ queryClient, fetchTail, isFinal, now = Date.now }: LiveOptions) {
    this.client = queryClient;
    this.tails = new Tails({
      fetchTail,
      viewOf,
      isFinal,
      onTail: (tail) => this.replies.tail(tail),
      onOutcome: notePolling,
    });
    this.polling = new Polling({
      isConnected: () => connectionState() === 'connected',
      ask: (replyId) => this.tails.ask(replyId),
      onSlow: () => this.listeners?.onSlow(),
      onSlowEnded: () => this.listeners?.onSlowEnded(),
      setStalled,
      now,
    });
    this.catchUp = new CatchUp(queryClient, () => this.polling.refreshAll());
    this.replies = new LiveReplies({
      client: this.client,
      rereads: this.rereads,
      heard: (replyId) => this.polling.heard(replyId),
      askTail: (replyId) => this.tails.ask(replyId),
    });
  }

  readonly handlers: ServerEvents = {
    'reply:delta': (delta) => this.replies.delta(delta),
    'reply:state': (state) => this.applyState(state),
    'message:created': (sent) => this.addSent(sent),
    'message:updated': (message) => this.updateMessage(message),
    'conversation:changed': (conversation) => this.conversationChanged(conversation),
    'conversation:deleted': ({ id }) => this.conversationDeleted(id),
    'access:changed': ({ conversationId }) => this.accessChanged(conversationId),
    'account:changed': (user) => this.accountChanged(user),
    'file:changed': (file) => updateFile(this.client, file),
    'file:deleted': ({ id }) => removeFile(this.client, id),
    'memory:changed': () => void this.client.invalidateQueries({ queryKey: cache.memoriesKey }),
    'persona:changed': (persona) => cache.updatePersona(this.client, persona),
    'persona:deleted': ({ id }) => cache.removePersona(this.client, id),
    'export:changed': (dataExport) =>
      void this.client.setQueryData(cache.exportKey, { export: dataExport }),
    'sessions:changed': () => void this.client.invalidateQueries({ queryKey: cache.sessionsKey }),
    'workspace:changed': () =>
      void this.client.invalidateQueries({ queryKey: cache.workspacesKey }),
    gap: (gap) => this.catchUp.gap(gap),
    'build:changed': ({ build }) => noteBuild(build),
    'session:ended': () => this.listeners?.onSessionEnded(),
  };

  /** Whether a screen uses it: between `start` and `stop`. */
  get isStarted(): boolean {
    return this.listeners !== undefined;
  }

  start(listeners: LiveListeners): void {
    this.listeners = listeners;
  }

  stop(): void {
    this.listeners = undefined;
    this.catchUp.stop();
    this.recentReplyIds = [];
    this.rereads.stop();
    this.polling.stop();
    this.tails.stop();
    resetLiveStore();
  }

  /** Reads the visible data once; other data is dropped and read again when it is opened. */
  connected(calls?: WatchCalls): void {
    setConnection('connected');
    if (calls) this.watching.connected(calls);
    for (const replyId of viewIds()) {
      const view = viewOf(replyId);
      if (view && !this.polling.isWatching(replyId) && !hasGap(view)) dropView(replyId);
    }
    this.catchUp.connected();
  }

  disconnected(): void {
    this.watching.disconnected();
    // A poll that fails ends that state.
    if (connectionState() !== 'polling') setConnection('disconnected');
  }

  /** Gets the deltas of a conversation that is on screen. @returns a function that ends it. */
  show(conversationId: string): () => void {
    return this.watching.show(conversationId);
  }

  /** Reads the text that was published before the deltas of the conversation arrived. */
  private readTails(path: cache.Messages = []): void {
    for (const { id } of path) {
      // A queued reply has no text of its own yet.
      if (viewOf(id)?.status === 'streaming') this.tails.askAnew(id);
    }
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
    const isNew = !this.recentReplyIds.includes(sent.reply.id);
    const isShown = cache.cachedReply(this.client, placeOf(sent.reply)) !== undefined;
    // The answer and the event have the same content. The path may have moved on between the two.
    if (cache.holdsMessages(this.client, conversationId) && (isNew || isShown)) {
      // Deltas may arrive before the message that they belong to.
      const current = { ...sent, reply: this.replies.reconcile(sent.reply) };
      const held = cache.cachedMessages(this.client, conversationId);
      const moved = isShown ? held : cache.pathWith(held ?? [], current);
      if (moved) cache.setMessages(this.client, conversationId, moved);
      else this.reread(conversationId);
    }
    if (isNew) this.rememberSend(sent);
    this.listeners?.onSent(sent);
  }

  private rememberSend(sent: SentMessage): void {
    this.recentReplyIds = [...this.recentReplyIds, sent.reply.id].slice(-MAX_RECENT_SENDS);
    this.sentMeanwhile.note(sent.reply.id, sent);
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

  /** Null: what is open is read again, which finds out. */
  private accessChanged(id: string | null): void {
    if (id !== null) {
      cache.removeConversation(this.client, id);
      this.client.removeQueries({ queryKey: cache.messagesKey(id) });
      return;
    }
    const reread = (queryKey: readonly string[]) => this.client.invalidateQueries({ queryKey });
    // The lists last: until then they know what was shared.
    void reread(cache.allMessagesKey).then(() => reread(cache.conversationsKey));
  }

  private accountChanged(user: User): void {
    this.listeners?.onAccount(user);
    void this.client.invalidateQueries({ queryKey: cache.billingKey });
    void this.client.invalidateQueries({ queryKey: cache.usageKey });
  }

  applyState(state: ReplyState): void {
    this.replies.state(state);
  }

  /** The server has accepted a request to continue this reply. */
  continued(reply: Reply): void {
    this.replies.continued(reply);
  }

  /** Reads the last page of a conversation's messages and merges it with the events received meanwhile. */
  read(conversationId: string, fetchPage: () => Promise<Message[]>): Promise<cache.Messages> {
    const wasWatched = this.watching.isConfirmed(conversationId);
    // An update may be newer than the answer. If it is older, the event of what changed since is still to come.
    const readPage = () =>
      this.updatedMeanwhile.merge(fetchPage, (answer, updated) =>
        answer.map((message) => updated.get(message.id) ?? message),
      );
    return this.sentMeanwhile.merge(readPage, (page, sends) => {
      const held = cache.cachedMessages(this.client, conversationId) ?? [];
      const path = cache.joinPages(held, this.replies.reconcilePage(page));
      if (!wasWatched && this.watching.isConfirmed(conversationId)) this.readTails(path);
      return [...sends.values()].reduce((merged, sent) => {
        const isOther = sent.message.conversationId !== conversationId;
        if (isOther || merged.some(({ id }) => id === sent.reply.id)) return merged;
        const reply = this.replies.reconcile(sent.reply);
        return cache.pathWith(merged, { ...sent, reply }) ?? merged;
      }, path);
    });
  }

  /** Puts an earlier page above the messages that are shown; `before` is the message that it was read for. */
  prepend(conversationId: string, before: string, page: readonly Message[]): void {
    const held = cache.cachedMessages(this.client, conversationId);
    if (held?.[0]?.id !== before) return;
    const above = this.replies.reconcilePage(page);
    cache.setMessages(this.client, conversationId, [...above, ...held]);
  }

  private updateMessage(message: Message): void {
    const { id: messageId, conversationId } = message;
    this.updatedMeanwhile.note(messageId, message);
    if (!cache.cachedMessages(this.client, conversationId)) return;
    const current = message.role === 'assistant' ? this.replies.reconcile(message) : message;
    cache.updateMessage(this.client, { messageId, conversationId }, () => current);
  }

  private reread(conversationId: string): void {
    repeatRead(this.client, cache.messagesKey(conversationId));
  }
}

/** Without a socket, the page shows whether the server answers nevertheless. */
function notePolling({ hasAnswered }: { hasAnswered: boolean }): void {
  const state = connectionState();
  if (hasAnswered && state !== 'connected') setConnection('polling');
  else if (!hasAnswered && state === 'polling') setConnection('disconnected');
}
