import type {
  Conversation,
  CreatedMessage,
  EventNumber,
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
import { type ChannelNumbers, numbersOf } from './channel-numbers.ts';
import { conversationsKey } from './conversation-cache.ts';
import { filesKey, removeFile, updateFile } from './file-cache.ts';
import { LiveReplies } from './live-replies.ts';
import { Polling } from './polling.ts';
import { forgetPresence, notePresence } from './presence.ts';
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

export interface LiveOptions {
  queryClient: QueryClient;
  fetchTail: FetchTail;
  /** An error of a read that a retry does not solve. */
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
  /** Somebody has shared a conversation with the user. */
  onShared?: (shared: SharedWithUser) => void;
}

type SharedWithUser = Parameters<ServerEvents['conversation:shared']>[0];

/** Combines events, reads and polls: text goes to the reply store, everything else to the query cache. */
export class Live {
  private readonly client: QueryClient;
  private readonly numbers: ChannelNumbers;
  private readonly tails: Tails;
  private readonly polling: Polling;
  private readonly replies: LiveReplies;
  private readonly watching = new Watching((conversationId) =>
    this.readTails(cache.cachedMessages(this.client, conversationId)),
  );
  private readonly catchUp: CatchUp;
  private listeners: LiveListeners | undefined;

  constructor({ queryClient, fetchTail, isFinal, now = Date.now }: LiveOptions) {
    this.client = queryClient;
    this.numbers = numbersOf(queryClient);
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
    this.catchUp = new CatchUp({
      client: queryClient,
      refreshReplies: () => this.polling.refreshAll(),
      isFinal,
      now,
    });
    this.replies = new LiveReplies({
      client: this.client,
      heard: (replyId) => this.polling.heard(replyId),
      askTail: (replyId) => this.tails.ask(replyId),
    });
  }

  readonly handlers: ServerEvents = {
    'reply:delta': (delta) => this.replies.delta(delta),
    presence: (presence) => {
      if (this.watching.isShown(presence.conversationId)) notePresence(presence);
    },
    'reply:state': (state) => this.applyState(state),
    'message:created': (sent) => this.messageCreated(sent),
    'message:updated': (message) => this.updateMessage(message),
    'conversation:changed': (conversation) => this.conversationChanged(conversation),
    'conversation:deleted': ({ id }) => this.conversationDeleted(id),
    'access:changed': ({ conversationId }) => this.accessChanged(conversationId),
    'conversation:shared': (shared) => this.listeners?.onShared?.(shared),
    'account:changed': (user) => this.accountChanged(user),
    'file:changed': (file) => updateFile(this.client, file),
    'file:deleted': ({ id }) => removeFile(this.client, id),
    'memory:changed': () => this.numbers.invalidate(cache.memoriesKey),
    'persona:summary': (persona) => cache.updatePersona(this.client, persona),
    'persona:deleted': ({ id }) => cache.removePersona(this.client, id),
    'export:changed': (dataExport) => this.numbers.put(cache.exportKey, { export: dataExport }),
    'sessions:changed': () => this.numbers.invalidate(cache.sessionsKey),
    'workspace:changed': () => this.numbers.invalidate(cache.workspacesKey),
    'channel:joined': (joined) => this.catchUp.joined(joined),
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
    this.polling.stop();
    this.tails.stop();
    resetLiveStore();
  }

  /** Handles an event of the user's channel: in order, and each once. */
  receive(at: EventNumber | undefined, handle: () => void): void {
    if (this.numbers.receive(at, handle)) this.catchUp.readAgain();
  }

  /** Reads the text of the replies on screen; `channel:joined`, which follows, tells whether events were missed. */
  connected(calls?: WatchCalls): void {
    setConnection('connected');
    if (calls) this.watching.connected(calls);
    for (const replyId of viewIds()) {
      const view = viewOf(replyId);
      if (view && !this.polling.isWatching(replyId) && !hasGap(view)) dropView(replyId);
    }
    this.polling.refreshAll();
  }

  disconnected(): void {
    this.watching.disconnected();
    this.catchUp.disconnected();
    // A poll that fails ends that state.
    if (connectionState() !== 'polling') setConnection('disconnected');
  }

  /** Gets the deltas of a conversation that is on screen. @returns a function that ends it. */
  show(conversationId: string): () => void {
    return this.watching.show(conversationId);
  }

  /** The user is writing a message in a conversation. */
  writes(conversationId: string): void {
    this.watching.writes(conversationId);
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

  /** A message of this tab was accepted. The event of it may have come before, and the path may have moved on since. */
  addSent(sent: SentMessage): void {
    if (viewOf(sent.reply.id)) this.listeners?.onSent(sent);
    else this.moveTo(sent, { isCertain: false });
  }

  /** What is on another branch leaves the path as it is, but for the number of its versions. */
  private messageCreated(sent: CreatedMessage): void {
    if (sent.elsewhere) this.numbers.invalidate(cache.messagesKey(sent.message.conversationId));
    else this.moveTo(sent);
  }

  /** The path moves to the message, and is read again if it may have been there before. */
  private moveTo(sent: SentMessage, { isCertain = true } = {}): void {
    const queryKey = cache.messagesKey(sent.message.conversationId);
    this.numbers.change<cache.Messages>(queryKey, (path) => {
      // Deltas may arrive before the message that they belong to.
      const current = { ...sent, reply: this.replies.reconcile(sent.reply) };
      if (path.some(({ id }) => id === sent.reply.id)) return path;
      const moved = cache.pathWith(path, current);
      const isNext = path.at(-1)?.id === sent.message.parentId;
      if (!moved || !(isNext || isCertain)) this.numbers.invalidate(queryKey);
      return moved ?? path;
    });
    this.listeners?.onSent(sent);
  }

  /** Puts the messages of a new conversation, of which only these are known. */
  addFirst({ message, reply }: SentMessage): void {
    const { conversationId, parentId } = message;
    if (parentId !== null || cache.cachedMessages(this.client, conversationId)) return;
    this.numbers.put(cache.messagesKey(conversationId), [message, reply]);
  }

  /**
   * A conversation as the server has it now. A tab that shows another branch than the active one reads it again, and so does one whose read
   * is under way and answers with another one: a message is published before the branch follows it.
   */
  conversationChanged(conversation: Conversation): void {
    cache.upsertConversation(this.client, conversation);
    const { id, activeLeafId } = conversation;
    if (!conversation.shared) forgetPresence(id);
    if (activeLeafId === null) return;
    const queryKey = cache.messagesKey(id);
    this.numbers.change<cache.Messages>(queryKey, (path) => {
      if (path.at(-1)?.id !== activeLeafId) this.numbers.invalidate(queryKey);
      return path;
    });
  }

  private conversationDeleted(id: string): void {
    cache.removeConversation(this.client, id);
    this.client.removeQueries({ queryKey: cache.messagesKey(id), type: 'inactive' });
  }

  /** Null: what is open is read again, which finds out. */
  private accessChanged(id: string | null): void {
    if (id !== null) {
      forgetPresence(id);
      cache.removeConversation(this.client, id);
      this.client.removeQueries({ queryKey: cache.messagesKey(id) });
      return;
    }
    const reread = (queryKey: readonly string[]) => this.client.invalidateQueries({ queryKey });
    this.numbers.invalidate(cache.personasKey);
    void reread(filesKey);
    // The lists last: until then they know what was shared.
    void reread(cache.allMessagesKey).then(() => reread(conversationsKey));
  }

  private accountChanged(user: User): void {
    this.listeners?.onAccount(user);
    this.numbers.invalidate(cache.billingKey);
    this.numbers.invalidate(cache.usageKey);
  }

  applyState(state: ReplyState): void {
    this.replies.state(state);
  }

  /** The server has accepted a request to continue this reply. */
  continued(reply: Reply): void {
    this.replies.continued(reply);
  }

  /** Reads the last page of a conversation's messages; its replies have all text that this tab knows. */
  async read(conversationId: string, fetchPage: () => Promise<Message[]>): Promise<cache.Messages> {
    const wasWatched = this.watching.isConfirmed(conversationId);
    const page = await fetchPage();
    const held = cache.cachedMessages(this.client, conversationId) ?? [];
    const path = cache.joinPages(held, this.replies.reconcilePage(page));
    if (!wasWatched && this.watching.isConfirmed(conversationId)) this.readTails(path);
    return path;
  }

  /** Puts an earlier page above the messages that are shown; `before` is the message that it was read for. */
  prepend(conversationId: string, before: string, page: readonly Message[]): void {
    const held = cache.cachedMessages(this.client, conversationId);
    if (held?.[0]?.id !== before) return;
    const above = this.replies.reconcilePage(page);
    cache.setMessages(this.client, conversationId, [...above, ...held]);
  }

  private updateMessage(message: Message): void {
    const queryKey = cache.messagesKey(message.conversationId);
    this.numbers.change<cache.Messages>(queryKey, (path) => {
      const index = path.findLastIndex(({ id }) => id === message.id);
      if (index === -1) return path;
      return path.with(index, message.role === 'user' ? message : this.replies.reconcile(message));
    });
  }
}

/** Without a socket, the page shows whether the server answers nevertheless. */
function notePolling({ hasAnswered }: { hasAnswered: boolean }): void {
  const state = connectionState();
  if (hasAnswered && state !== 'connected') setConnection('polling');
  else if (!hasAnswered && state === 'polling') setConnection('disconnected');
}
