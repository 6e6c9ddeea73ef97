import type { Message, Reply, ReplyDelta, ReplyState, ReplyTail } from '@stolas/backend/contract';
import { isActive } from '@stolas/backend/contract';
import type { QueryClient } from '@tanstack/react-query';
import * as cache from './cache.ts';
import { numbersOf } from './channel-numbers.ts';
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
import { dropView, setView, viewOf } from './reply-store.ts';

type Where = Pick<ReplyDelta, 'replyId' | 'conversationId'>;

interface LiveRepliesOptions {
  client: QueryClient;
  /** There is news of the reply. */
  heard: (replyId: string) => void;
  /** Requests the text that the view of the reply lacks. */
  askTail: (replyId: string) => void;
}

/** Merges events and reads of replies: text goes to the reply store, everything else to the query cache. */
export class LiveReplies {
  constructor(private readonly options: LiveRepliesOptions) {}

  delta(delta: ReplyDelta): void {
    this.update(delta, (view) => applyDelta(view, delta));
  }

  state(state: ReplyState): void {
    const { client } = this.options;
    // A first read that is under way may answer what was before.
    if (!cache.cachedMessages(client, state.conversationId))
      numbersOf(client).invalidate(cache.messagesKey(state.conversationId));
    this.addMetadata(state);
    this.update(state, (view) => applyState(view, state));
  }

  tail(tail: ReplyTail): void {
    this.addMetadata(tail);
    this.update(tail, (view) => applyTail(view, tail));
  }

  /**
   * The reply as the server answered a request to continue it. It is queued again, unless the new attempt has already
   * begun.
   */
  continued(reply: Reply): void {
    const { client } = this.options;
    const view = viewOf(reply.id) ?? viewFrom(cache.cachedReply(client, placeOf(reply)));
    if (view.attempt > reply.attempt || isActive(view.status)) return;
    setView(reply.id, applySnapshot({ ...UNKNOWN_REPLY, status: reply.status }, reply));
    const at = { messageId: reply.id, conversationId: reply.conversationId };
    cache.updateMessage(client, at, () => reply);
  }

  /** The messages of a page, each reply with everything that this tab knows of it. */
  reconcilePage(page: readonly Message[]): readonly Message[] {
    return page.map((message) =>
      message.role === 'assistant' ? this.reconcile(message) : message,
    );
  }

  /** A reply as the server has it, with text that was pushed since. */
  reconcile(reply: Reply): Reply {
    const { client, heard, askTail } = this.options;
    const before = viewOf(reply.id);
    const cached = cache.cachedReply(client, placeOf(reply));
    if (!before && !cached) {
      if (isActive(reply.status)) setView(reply.id, applySnapshot(UNKNOWN_REPLY, reply));
      return reply;
    }
    const view = applySnapshot(before ?? viewFrom(cached), reply);
    // A reply that is and was complete needs only the cache.
    if (before || hasGap(view) || isActive(view.status)) setView(reply.id, view);
    heard(reply.id);
    if (hasGap(view)) askTail(reply.id);
    const { error: _error, ending: _ending, ...rest } = reply;
    // Metadata is only ever added: a page may have been read before it was.
    const metadata = cached?.metadata && { ...cached.metadata, ...reply.metadata };
    return { ...rest, ...(metadata && { metadata }), ...wholePatch(view) };
  }

  /** The fields that are known at the end of a reply. Fields that were added after its end are newer. */
  private addMetadata({ metadata, attempt, ...at }: ReplyState): void {
    if (!metadata) return;
    const { client } = this.options;
    const place = { messageId: at.replyId, conversationId: at.conversationId };
    cache.updateMessage(client, place, (message) => {
      if (message.role !== 'assistant' || message.attempt > attempt) return message;
      const hasEnded = message.attempt === attempt && !isActive(message.status);
      const merged = hasEnded
        ? { ...metadata, ...message.metadata }
        : { ...message.metadata, ...metadata };
      return { ...message, metadata: merged };
    });
  }

  private update(at: Where, step: (view: ReplyView) => ReplyView): void {
    const { client, heard, askTail } = this.options;
    const { replyId, conversationId } = at;
    if (!cache.holdsMessages(client, conversationId)) {
      dropView(replyId);
      return;
    }
    const known = viewOf(replyId);
    const cached = known ? undefined : cache.cachedReply(client, at);
    const before = known ?? viewFrom(cached);
    const after = step(before);
    if (after === before) return;
    heard(replyId);
    const whole = !isActive(after.status) && !hasGap(after);
    const changed = after.status !== before.status || after.attempt !== before.attempt;
    if (whole) cache.patchReply(client, at, wholePatch(after));
    else if (changed) cache.patchReply(client, at, patchFrom(after));
    // The view stays when it is whole: the query cache notifies later than the reply store, and in between the text
    // would be gone.
    setView(replyId, after);
    if (hasGap(after)) askTail(replyId);
  }
}

export const placeOf = ({ id, conversationId }: Reply): Where => ({ replyId: id, conversationId });

const patchFrom = ({ status, attempt, error, ending }: ReplyView): cache.ReplyPatch => ({
  status,
  attempt,
  ...(error && { error }),
  ...(ending && { ending }),
});

const wholePatch = (
  view: ReplyView,
): Required<Pick<cache.ReplyPatch, 'parts'>> &
  cache.ReplyPatch & { content: string; parts: Reply['parts'] } => ({
  ...patchFrom(view),
  parts: [...view.parts],
  content: contentOf(view.parts),
});
