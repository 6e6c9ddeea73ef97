import { setTimeout as sleep } from 'node:timers/promises';
import type { Actor } from '../../../access/index.ts';
import type { ReplyState } from '../../../contract/replies.ts';
import type { Depth } from '../../../contract/reply-settings.ts';
import { type ChatProvider, type JsonModel, warmUpTokens } from '../../../llm/index.ts';
import type { ContextContributor, FilesContext, FilesInput, ReplySettings } from '../../context.ts';
import type { Core } from '../../define-feature.ts';
import type { Payer } from '../../payer.ts';
import type { UsageService } from '../../usage/index.ts';
import type { WorkspacesService } from '../../workspaces/index.ts';
import {
  type ConversationRecord,
  type ConversationStore,
  type Publishing,
  publishToOthers,
} from '../conversations/index.ts';
import type { ChosenSettings, CompleteSend, MessageModel, MessageTree } from '../messages/index.ts';
import type { Paid } from '../payer.ts';
import type { PostSteps, StepStore } from '../post-steps/index.ts';
import { createDepthTimes } from './depth.ts';
import { Heartbeats } from './heartbeats.ts';
import { createReplyLog } from './log.ts';
import { createReplyStore } from './model.ts';
import { createReplyQueues } from './reply-queues.ts';

/** Workers listen on this channel for the ids of replies to stop. */
export const STOP_CHANNEL = 'replies:stop';

/** What generation needs of other features. */
interface Others {
  usage: Pick<UsageService, 'laneOf' | 'reserve' | 'settle' | 'release'>;
  workspaces: WorkspacesService;
  files: {
    /**
     * The files' contribution to the prompt of a path, once they are read.
     * @throws the signal's reason
     */
    contextOf: (input: FilesInput) => Promise<FilesContext>;
  };
}

/** What generation needs of the other parts of the chat. */
interface ChatParts {
  conversations: Pick<ConversationStore, 'find' | 'findShared'>;
  messages: Pick<
    MessageTree,
    'activeReply' | 'children' | 'pathOfPrompt' | 'removeAllIn' | 'removeAllOf'
  >;
  steps: Pick<StepStore, 'dropWaiting' | 'isAnyRunning'>;
  completeSend: CompleteSend;
  payerOf: (actor: Pick<Actor, 'userId'>, conversation: Paid) => Promise<Payer>;
  /** The settings of a reply that is continued. */
  settingsOfReply: (
    settings: ReplySettings,
    conversation: ConversationRecord,
    actor: Actor,
  ) => Promise<Omit<ChosenSettings, 'remember'>>;
  limits: {
    /** Maximum length of a prompt, in tokens. */
    contextTokens: number;
    /** Maximum length of a reply by depth, in tokens. */
    maxReplyTokens: Record<Depth, number>;
  };
}

type Needs = Pick<Core, 'bus' | 'channels' | 'config' | 'log' | 'now' | 'produce' | 'redis'> & {
  models: { messages: MessageModel };
};

/** The object of this folder. Every function takes it, or a part of it, as its first parameter. */
export type GenerationFeature = ReturnType<typeof createGenerationFeature>;

export const createGenerationFeature = (
  { models, bus, channels, config, log, now, produce, redis }: Needs,
  { usage, files, workspaces }: Others,
  parts: ChatParts,
) => ({
  ...parts,
  replies: createReplyStore(models.messages),
  replyLog: createReplyLog(redis, {
    publish: publishStates({ ...parts, bus, log, others: { workspaces } }),
  }),
  /** Durations of replies by depth. */
  depthTimes: createDepthTimes(redis, log),
  replyQueues: createReplyQueues({ produce, redis }, config.REPLY_QUEUES),
  others: { usage, files, workspaces },
  redis,
  channels,
  bus,
  log,
  now,
  sleep: async (ms: number): Promise<void> => {
    await sleep(ms);
  },
});

/**
 * Publishes the state of a reply to the owner, and then to those who read the conversation too; the worker does not wait for them. While the
 * conversation passes to another owner, that one gets it as they do.
 */
const publishStates =
  (generation: Publishing & Pick<ChatParts, 'conversations'>) =>
  async (ownerId: string, event: 'reply:state', state: ReplyState): Promise<void> => {
    const { replyId, conversationId: id } = state;
    const { bus, log, conversations } = generation;
    const failed = (err: unknown) => log.warn({ err, replyId }, 'state not published to readers');
    const conversation = await conversations.find({ id, ownerId }).catch(failed);
    const givenTo = conversation?.givenTo;
    await bus.publish(givenTo ?? ownerId, event, givenTo ? withoutMemories(state) : state);
    if (!conversation?.grants.length) return;
    const payloadFor = () => withoutMemories(state);
    void publishToOthers(generation, conversation, { event, payloadFor }).catch(failed);
  };

/** The state of a reply as others than the owner see it. */
export function withoutMemories<State extends ReplyState>(state: State): State {
  const { memoryReceipt: _ofOwner, ...metadata } = state.metadata ?? {};
  return { ...state, ...(state.metadata && { metadata }) };
}

/** What a worker process adds in order to write replies. */
interface WorkerTools {
  provider: ChatProvider;
  /** The same model, for the question in other words. */
  jsonModel: Pick<JsonModel, 'answer' | 'model'>;
  /** The contributors of all features. */
  contributors: readonly ContextContributor[];
  /** The post-steps after each complete reply. */
  postSteps: Pick<PostSteps, 'namesFor' | 'enqueue'>;
}

/** A worker process that writes replies. */
export interface ReplyWorker extends GenerationFeature, WorkerTools {
  /** The replies that it writes now, by id. */
  running: Map<string, AbortController>;
  heartbeats: Heartbeats;
  /** Whether the process is shutting down. */
  isDraining: boolean;
}

export function createReplyWorker(
  generation: GenerationFeature,
  { provider, jsonModel, contributors, postSteps }: WorkerTools,
): ReplyWorker {
  warmUpTokens();
  const running = new Map<string, AbortController>();
  const heartbeats = new Heartbeats(generation.replies);
  const tools = { provider, jsonModel, contributors, postSteps };
  return { ...generation, ...tools, running, heartbeats, isDraining: false };
}
