import type { Action, Actor } from '../../../access/index.ts';
import { isActive, type Reply, type ReplyFeedback } from '../../../contract/messages.ts';
import type {
  ReplyFeedbackBody,
  ReplyResult,
  ReplyState,
  ReplyTail,
  ReplyTailQuery,
} from '../../../contract/replies.ts';
import { isDuplicateKey } from '../../../db/mongo.ts';
import { AppError, orUnavailable } from '../../../errors.ts';
import { isSamePayer } from '../../payer.ts';
import { type ConversationRecord, type Opening, replyInProgress } from '../conversations/index.ts';
import {
  type ChosenSettings,
  lengthOf,
  openFound,
  partsOf,
  presentStored,
  publishReply,
  tokensOf,
} from '../messages/index.ts';
import { type GenerationFeature, STOP_CHANNEL, withoutMemories } from './feature.ts';
import { endReply } from './finish.ts';
import { stateOf, tailOf, withLiveText } from './live-text.ts';
import { FencedError } from './log.ts';
import { aheadOf, enqueueReply, nextJobId, takePriority } from './queue.ts';
import { callsLeft, type GeneratedReply, type ReplyKey } from './reply-record.ts';

// A user's actions on a reply. A reply that the actor may not access answers 404.

/** Attempts until tabs that rate a reply at the same moment agree. */
const MAX_ATTEMPTS = 3;

/**
 * The text after the reader's position, and the state at that point.
 * @throws AppError not_found
 */
export async function readTail(
  generation: GenerationFeature,
  actor: Actor,
  { id, ...query }: ReplyTailQuery & { id: string },
): Promise<ReplyTail> {
  const { reply, conversation } = await open(generation, actor, { id, action: 'read' });
  const [live, ahead] = await Promise.all([
    withLiveText(reply, generation.replyLog),
    reply.status === 'queued' ? aheadOf(generation, reply) : null,
  ]);
  return { ...seenBy(actor, conversation, tailOf(live, query)), ...(ahead !== null && { ahead }) };
}

/**
 * Requests the end of a reply; the text so far stays. A repeated or late request has no effect.
 * @returns the state at this moment; the end itself is pushed
 * @throws AppError not_found; unavailable while the conversation of a queued reply passes to another owner
 */
export async function stopReply(
  generation: GenerationFeature,
  actor: Actor,
  id: string,
): Promise<ReplyState> {
  const { reply: found, conversation } = await open(generation, actor, { id, action: 'write' });
  const requested = await generation.replies.requestStop(found, found.ownerId, actor.userId);
  if (requested && !(requested.status === 'queued' && (await stopQueued(generation, requested))))
    // A worker that misses this sees the request at its next checkpoint.
    await generation.channels.publish(STOP_CHANNEL, id).catch(() => undefined);
  const reply = (await generation.replies.findOwn(id, found.ownerId)) ?? found;
  // The others learn who stopped it; its end is published by itself.
  if (requested && conversation.grants.length > 0) await publishStopped(generation, reply);
  return seenBy(actor, conversation, stateOf(reply, lengthOf(partsOf(reply))));
}

const publishStopped = (generation: GenerationFeature, reply: GeneratedReply) =>
  publishReply(generation, reply).catch((error: unknown) =>
    generation.log.warn({ err: error, replyId: reply.id }, 'who stopped a reply is not published'),
  );

/** Ends a reply that no worker has started; false when a worker started it first. */
async function stopQueued(generation: GenerationFeature, reply: GeneratedReply) {
  await generation.completeSend(reply);
  const attempt = reply.attempt + 1;
  const charge = { attempt, promptTokens: 0, completionTokens: 0, release: true };
  const end = { status: 'stopped' as const, parts: partsOf(reply), charge };
  if (!(await endReply(generation, { ...reply, attempt }, { end, from: 'queued' }))) return false;
  const { producer } = generation.replyQueues.ofJob(reply.jobId);
  await producer.remove(reply.jobId).catch(() => undefined);
  return true;
}

/**
 * Continues a reply from its text when it failed, was stopped or interrupted, or reached its maximum length, and no message follows it.
 * @throws AppError not_found, reply_not_retryable, reply_in_progress, quota_exceeded, subscription_required, too_many_replies, unavailable
 */
export async function continueReply(
  generation: GenerationFeature,
  actor: Actor,
  id: string,
): Promise<ReplyResult> {
  const { reply, conversation } = await open(generation, actor, { id, action: 'write' });
  const isFinished = reply.status === 'complete' && !reply.ending;
  if (isActive(reply.status) || isFinished || reply.content === '') throw notRetryable();
  if (await isFollowed(generation, reply)) throw notRetryable();
  const { queued, priority } = await requeue(generation, actor, { reply, conversation });
  await enqueueReply(generation, queued, priority).catch(orUnavailable);
  await publishQueued(generation, queued);
  return { reply: await presentStored(generation, actor, { conversation, reply: queued }) };
}

/** Queues the next attempt; a request that loses a race releases its reservation. */
async function requeue(
  generation: GenerationFeature,
  actor: Actor,
  { reply, conversation }: Opened,
) {
  const { replies, settingsOfReply, payerOf, others, now } = generation;
  const { usage } = others;
  const { id, conversationId, ownerId, attempt } = reply;
  const [chosen, payer] = await Promise.all([
    settingsOfReply(reply.settings, conversation, actor),
    payerOf(actor, conversation),
  ]);
  const reserving = reserveNext(generation, { ...reply, payer }, chosen);
  const [reserved, lane] = await Promise.all([reserving, usage.laneOf(payer)]);
  const priority = takePriority(generation, { conversationId, userId: payer.userId, lane });
  priority.catch(() => undefined);
  const queued = await replies
    .requeueToContinue({
      id,
      conversationId,
      ownerId,
      attempt,
      jobId: nextJobId(generation, reply),
      keptLength: lengthOf(partsOf(reply)),
      reserved,
      payer,
      isOtherPayer: !isSamePayer(payer, reply.payer),
      lane,
      settings: chosen.settings,
      now: now(),
    })
    .catch((error: unknown) => {
      if (isDuplicateKey(error)) return 'busy' as const;
      throw error;
    });
  if (queued && queued !== 'busy') return { queued, priority };
  // Two tabs may ask at once: both then share the reservation of the attempt.
  const current = await replies.findOwn(id, ownerId);
  const isShared =
    current &&
    current.attempt <= attempt + 1 &&
    isActive(current.status) &&
    current.payer.ownerId === payer.ownerId;
  if (!isShared) await usage.release(payer, { replyId: id, attempt: attempt + 1 });
  throw queued === 'busy' ? await replyInProgress(generation, conversation) : notRetryable();
}

/** Reserves for the next attempt: the whole path is sent again, and the text so far counts as prompt. */
async function reserveNext(
  { others: { usage } }: Pick<GenerationFeature, 'others'>,
  reply: GeneratedReply,
  chosen: Omit<ChosenSettings, 'remember'>,
) {
  const { id: replyId, payer, depth, content, pathLength = Buffer.byteLength(content) } = reply;
  const kept = { ...reply, keptLength: lengthOf(partsOf(reply)) };
  const calls = callsLeft(kept).length;
  const tokens = tokensOf(chosen, { pathLength, messages: depth + 1, calls });
  const attempt = reply.attempt + 1;
  // The text was published by an attempt that counted the message.
  const request = { replyId, attempt, ...tokens, isCounted: true };
  return usage.reserve(payer, request);
}

/** Begins the next attempt in the log, so that a late end of the last attempt is not published. */
async function publishQueued({ replyLog, log }: GenerationFeature, reply: GeneratedReply) {
  const { id: replyId, conversationId, ownerId } = reply;
  const writer = { replyId, conversationId, ownerId, attempt: reply.attempt + 1 };
  const state = stateOf(reply, lengthOf(partsOf(reply)));
  await replyLog.append(writer, { seq: 0, deltas: [], state }).catch((error: unknown) => {
    // A worker may have begun the attempt already.
    if (error instanceof FencedError) return;
    log.warn({ err: error, replyId }, 'continued reply not published');
  });
}

/**
 * Stores or removes the actor's own rating of an ended reply, and publishes the reply to the actor's tabs. Everybody who may read the reply may
 * rate it, because nobody else sees that.
 * @throws AppError not_found, also for a reply of a deleted conversation; reply_in_progress
 */
export async function rateReply(
  generation: Rating,
  actor: Pick<Actor, 'userId'>,
  { id, rating, reason }: ReplyFeedbackBody & { id: string },
): Promise<ReplyResult> {
  const { reply: found, conversation } = await open(generation, actor, { id, action: 'read' });
  const feedback = rating && { rating, ...(reason && { reason }) };
  const stored = await generation.replies.setFeedback(found, actor.userId, feedback);
  if (!stored) throw await replyInProgress(generation, conversation);
  return { reply: await publishRated(generation, actor, { conversation, reply: stored }) };
}

type Rating = Pick<
  GenerationFeature,
  'replies' | 'conversations' | 'messages' | 'bus' | 'log' | 'others'
>;

/**
 * Two tabs may store in one order and publish in the other. Each publishes again until its last published feedback is the stored one, so
 * that all tabs end with that.
 */
async function publishRated(
  generation: Rating,
  actor: Pick<Actor, 'userId'>,
  { conversation, reply }: Opened,
): Promise<Reply> {
  const { userId } = actor;
  const answer = await presentStored(generation, actor, { conversation, reply });
  let current = reply;
  let shown = answer;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    await generation.bus.publish(userId, 'message:updated', shown);
    const latest = await generation.replies.findOwn(current.id, current.ownerId);
    if (!latest || isSame(latest.feedback?.[userId], current.feedback?.[userId])) return answer;
    current = latest;
    shown = await presentStored(generation, actor, { conversation, reply: current });
  }
  return answer;
}

const isSame = (a: ReplyFeedback | undefined, b: ReplyFeedback | undefined): boolean =>
  a?.rating === b?.rating && a?.reason === b?.reason;

/** Stores that the user undid the memories of a reply, and publishes the reply. */
export async function markMemoriesUndone(
  generation: Rating,
  key: ReplyKey,
  ownerId: string,
): Promise<void> {
  const reply = await generation.replies.setMemoriesUndone(key, ownerId);
  if (reply) await publishReply(generation, reply);
}

interface Opened {
  reply: GeneratedReply;
  conversation: ConversationRecord;
}

const open = async (
  generation: Opening & Pick<GenerationFeature, 'replies'>,
  actor: Pick<Actor, 'userId'>,
  { id, action }: { id: string; action: Action },
): Promise<Opened> =>
  openFound(generation, actor, { reply: await generation.replies.findById(id), action });

/** The state of a reply as the actor sees it: memories are the owner's. */
const seenBy = <State extends ReplyState>(
  { userId }: Pick<Actor, 'userId'>,
  { ownerId }: ConversationRecord,
  state: State,
): State => (ownerId === userId ? state : withoutMemories(state));

async function isFollowed(
  { messages }: Pick<GenerationFeature, 'messages'>,
  { id, conversationId, ownerId, depth }: GeneratedReply,
) {
  const place = { parentId: id, depth: depth + 1 };
  return (await messages.children({ conversationId, ownerId }, place)).length > 0;
}

const notRetryable = () =>
  new AppError(
    'reply_not_retryable',
    'Only the last reply can be continued, once it has ended early and has text.',
  );
