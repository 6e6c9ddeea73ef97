import type {
  Message,
  Reply,
  ReplyDelta,
  ReplyState,
  ReplyTail,
  SentMessage,
  ServerEvents,
  User,
} from '@stolas/backend/contract';
import type { QueryClient } from '@tanstack/react-query';
import * as cache from './cache.ts';
import { Polling } from './polling.ts';
import {
  applyDelta,
  applySnapshot,
  applyState,
  applyTail,
  hasGap,
  isActive,
  type ReplyView,
  UNKNOWN_REPLY,
} from './reply-reducer.ts';
import { dropView, liveStore, resetLiveStore, setStalled, setView, viewOf } from './reply-store.ts';
import { type FetchTail, Tails } from './tails.ts';

export interface LiveOptions {
  queryClient: QueryClient;
  fetchTail: FetchTail;
  /** An error of `fetchTail` that will not go away. */
  isFinal: (error: unknown) => boolean;
  now?: () => number;
}

/** What happens around the replies that concerns other parts of the app. */
export interface LiveListeners {
  onAccount: (user: User) => void;
  onSessionEnded: () => void;
  /** A reply is slow enough that the person should be told. */
  onSlow: () => void;
  /** A message was accepted, in whichever tab it was sent. */
  onTurn: (turn: SentMessage) => void;
}

type Where = Pick<ReplyDelta, 'replyId' | 'conversationId'>;

/** Brings what is pushed, read and polled together: text into the live store, everything else into the query cache. */
export class Live {
  private readonly client: QueryClient;
  private readonly tails: Tails;
  private readonly polling: Polling;
  private listeners: LiveListeners | undefined;

  constructor({ queryClient, fetchTail, isFinal, now = Date.now }: LiveOptions) {
    this.client = queryClient;
    this.tails = new Tails({ fetchTail, viewOf, isFinal, onTail: (tail) => this.onTail(tail) });
    this.polling = new Polling({
      isConnected: () => liveStore.getState().connection === 'connected',
      ask: (replyId) => this.tails.ask(replyId),
      onSlow: () => this.listeners?.onSlow(),
      setStalled,
      now,
    });
  }

  readonly handlers: ServerEvents = {
    'reply:delta': (frame) => this.update(frame, (view) => applyDelta(view, frame)),
    'reply:state': (state) => this.applyState(state),
    'message:created': (turn) => this.addTurn(turn),
    'conversation:changed': (conversation) => cache.upsertConversation(this.client, conversation),
    'account:changed': (user) => this.listeners?.onAccount(user),
    'sessions:changed': () => void this.client.invalidateQueries({ queryKey: cache.sessionsKey }),
    'session:ended': () => this.listeners?.onSessionEnded(),
  };

  start(listeners: LiveListeners): void {
    this.listeners = listeners;
  }

  stop(): void {
    this.listeners = undefined;
    this.polling.stop();
    this.tails.stop();
    resetLiveStore();
  }

  /** Catches up once everything on screen; what is not on screen is forgotten and read again when it is opened. */
  connected(): void {
    liveStore.setState({ connection: 'connected' });
    this.client.removeQueries({ queryKey: ['messages'], type: 'inactive' });
    for (const [replyId, view] of Object.entries(liveStore.getState().views)) {
      if (!this.polling.isWatching(replyId) && !hasGap(view)) dropView(replyId);
    }
    this.polling.refreshAll();
    void this.client.invalidateQueries({ queryKey: ['messages'] });
    void this.client.invalidateQueries({ queryKey: cache.conversationsKey });
    void this.client.invalidateQueries({ queryKey: cache.sessionsKey });
  }

  disconnected(): void {
    liveStore.setState({ connection: 'disconnected' });
  }

  /** Looks after a reply that is on screen and active. @returns a function that ends it. */
  watch(reply: Reply): () => void {
    if (!viewOf(reply.id)) setView(reply.id, applySnapshot(UNKNOWN_REPLY, reply));
    return this.polling.watch(reply.id);
  }

  refresh(replyId: string): void {
    this.polling.refresh(replyId);
  }

  /** A turn that this tab's own send, or the socket, says was accepted. */
  addTurn(turn: SentMessage): void {
    if (cache.holdsMessages(this.client, turn.message.conversationId)) {
      // Frames may have been faster than the turn that they belong to.
      cache.addTurn(this.client, { ...turn, reply: this.reconcileReply(turn.reply) });
    }
    this.listeners?.onTurn(turn);
  }

  applyState(state: ReplyState): void {
    this.update(state, (view) => applyState(view, state));
  }

  /** The reply as the server answered a retry. Unless the new attempt was faster, it waits again. */
  retried(reply: Reply): void {
    const here = viewOf(reply.id) ?? cache.cachedReply(this.client, where(reply));
    if (here && (here.attempt > reply.attempt || isActive(here.status))) return;
    setView(reply.id, applySnapshot({ ...UNKNOWN_REPLY, status: reply.status }, reply));
    cache.upsertMessages(this.client, reply.conversationId, [reply]);
  }

  /**
   * Merges an answer of GET …/messages with what was pushed while it was on its way.
   * @returns the messages to put into the cache.
   */
  reconcile(conversationId: string, fetched: readonly Message[]): readonly Message[] {
    const held = this.client.getQueryData<readonly Message[]>(cache.messagesKey(conversationId));
    const known = new Set(fetched.map(({ id }) => id));
    const newer = held?.filter(({ id }) => !known.has(id)) ?? [];
    const merged = fetched.map((message) =>
      message.role === 'assistant' ? this.reconcileReply(message) : message,
    );
    return newer.length === 0 ? merged : [...merged, ...newer];
  }

  private reconcileReply(reply: Reply): Reply {
    const before = viewOf(reply.id);
    const cached = before ? undefined : cache.cachedReply(this.client, where(reply));
    if (!before && !cached) {
      if (isActive(reply.status)) setView(reply.id, applySnapshot(UNKNOWN_REPLY, reply));
      return reply;
    }
    const view = applySnapshot(before ?? fromReply(cached ?? reply), reply);
    setView(reply.id, view);
    this.polling.heard(reply.id);
    if (hasGap(view)) this.tails.ask(reply.id);
    const { error: _former, ...rest } = reply;
    return { ...rest, ...patchFrom(view), content: view.text };
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
    const before = viewOf(replyId) ?? fromReply(cache.cachedReply(this.client, at));
    const after = step(before);
    if (after === before) return;
    this.polling.heard(replyId);
    const whole = !isActive(after.status) && !hasGap(after);
    const turned = after.status !== before.status || after.attempt !== before.attempt;
    if (whole) cache.patchReply(this.client, at, { ...patchFrom(after), content: after.text });
    else if (turned) cache.patchReply(this.client, at, patchFrom(after));
    // The view stays when it is whole: queries tell their readers later than this store does, and in between the
    // text would be gone.
    setView(replyId, after);
    if (hasGap(after)) this.tails.ask(replyId);
  }
}

const where = ({ id, conversationId }: Reply): Where => ({ replyId: id, conversationId });

const fromReply = (reply: Reply | undefined): ReplyView =>
  reply
    ? {
        attempt: reply.attempt,
        text: reply.content,
        status: reply.status,
        expectedLength: reply.content.length,
        ...(reply.error && { error: reply.error }),
      }
    : UNKNOWN_REPLY;

const patchFrom = ({ status, attempt, error }: ReplyView): cache.ReplyPatch => ({
  status,
  attempt,
  ...(error && { error }),
});
