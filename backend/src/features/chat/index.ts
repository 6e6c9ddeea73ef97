import { createTaskSweep } from '../../jobs/durable.ts';
import { runJob } from '../../jobs/worker.ts';
import { type Core, defineFeature, type Sweep } from '../define-feature.ts';
import {
  completeHandovers,
  deleteExpired,
  ERASE_AFTER_MS,
  ERASE_EVERY_MS,
  eraseDeleted,
  HANDOVER_EVERY_MS,
  handOver,
  TEMPORARY_EVERY_MS,
  TEMPORARY_LIFETIME_MS,
} from './conversations/index.ts';
import { createChat, type Others } from './create.ts';
import { exportConversations, exportOwn, exportRoutes, importRoutes } from './exports/index.ts';
import { defineModels } from './feature.ts';
import {
  createReplyWorker,
  ENDED_LOG_SECONDS,
  type GenerationFeature,
  POSITIONS_EVERY_MS,
  type Positions,
  publishPositions,
  removeMessagesOf,
  replyRoutes,
  runReplies,
  STOP_CHANNEL,
  SWEEP_EVERY_MS,
  stopHere,
  sweepReplies,
} from './generation/index.ts';
import { createPostSteps, postStepJob } from './post-steps/index.ts';
import { chatRoutes } from './routes.ts';
import { createIndexer, INDEX_EVERY_MS } from './search/index.ts';

export type { ChatService } from './create.ts';
export type { MessageRecord, ReplyRecord } from './messages/index.ts';
export type { RequestStep } from './post-steps/index.ts';

const STEP_SWEEP_EVERY_MS = 5_000;

/** Conversations, their messages, and the replies of the model. */
export const chat = defineFeature({
  name: 'chat',
  models: defineModels,
  owners: {
    conversations: 'ownerId',
    messages: 'ownerId',
    searchEntries: { field: 'ownerId', store: 'search' },
    views: 'userId',
  },
  shardKeys: {
    conversations: ['ownerId', '_id'],
    messages: ['conversationId'],
    searchEntries: ['ownerId'],
    views: ['conversationId'],
  },
  retention: [
    { kind: 'temporary', seconds: TEMPORARY_LIFETIME_MS / 1_000 },
    { kind: 'deletedConversation', seconds: ERASE_AFTER_MS / 1_000 },
    { kind: 'replyLog', seconds: ENDED_LOG_SECONDS },
  ],
  socketEvents: [
    'reply:delta',
    'reply:state',
    'message:created',
    'message:updated',
    'conversation:changed',
    'conversation:deleted',
    'access:changed',
    'conversation:shared',
  ],
  create: (core, others: Others) => createChat(core, others),
  routes: ({ service, rateLimit, turn }) => [
    ...chatRoutes(service, { rateLimit, turn }),
    exportRoutes(service, rateLimit),
    replyRoutes(service.generation, rateLimit),
  ],
  rawRoutes: ({ service, rateLimit }) => [importRoutes(service, rateLimit)],
  jobs: async ({ service, config, channels, ...tools }) => {
    const postSteps = createPostSteps(service.postSteps, tools);
    const worker = createReplyWorker(service.generation, { ...tools, postSteps });
    await channels.subscribe(STOP_CHANNEL, (replyId) => void stopHere(worker, replyId));
    return [
      runReplies(worker, { concurrency: config.WORKER_CONCURRENCY }),
      runJob(postStepJob, postSteps.run, postSteps),
    ];
  },
  sweeps: ({ service, ...core }) => sweepsOf(service, core),
  async *exportUser({ service }, userId) {
    yield* exportConversations(service, userId);
    yield* exportOwn(service, userId);
  },
  userStores: ({ service }) => [
    {
      name: 'redis',
      count: async (userId) =>
        (await service.replyLog.count(await service.replies.keysOf(userId, { open: false }))) +
        (await service.replyQueues.countOf(userId)),
    },
    // What the user has left at messages of others.
    { name: 'chat', count: service.authored.countRatings },
  ],
  eraseUser: async ({ service }, userId) => {
    await service.stopElsewhere(userId);
    await completeHandovers(service, userId);
    await removeMessagesOf(service.generation, userId);
    await service.search.remove({ ownerId: userId });
    await service.views.removeIn(await service.conversations.idsOf(userId));
    await service.conversations.removeAllOf(userId);
    await service.views.removeAllOf(userId);
    await service.authored.removeRatings(userId);
    await service.endGrants({ userId });
    await service.replyQueues.forget(userId);
  },
});

const sweepsOf = (
  service: ReturnType<typeof createChat>,
  core: Pick<Core, 'now' | 'log'>,
): Sweep[] => [
  { name: 'deleted conversations', everyMs: ERASE_EVERY_MS, run: () => eraseDeleted(service) },
  {
    name: 'conversations that change their owner',
    everyMs: HANDOVER_EVERY_MS,
    run: () => handOver(service),
  },
  {
    name: 'temporary conversations',
    everyMs: TEMPORARY_EVERY_MS,
    run: () => deleteExpired(service),
  },
  {
    name: 'replies without a job',
    runBy: 'each',
    everyMs: SWEEP_EVERY_MS,
    run: () => sweepReplies(service.generation),
  },
  {
    name: 'post-steps without a job',
    everyMs: STEP_SWEEP_EVERY_MS,
    run: createTaskSweep({
      ...core,
      tasks: service.postSteps.steps.tasks,
      queue: service.postSteps.stepQueue,
    }),
  },
  {
    name: 'messages for the search',
    runBy: 'partitioned',
    everyMs: INDEX_EVERY_MS,
    run: createIndexer(service),
  },
  positionsSweep(service.generation),
];

function positionsSweep(generation: GenerationFeature): Sweep {
  const positions: Positions = new Map();
  return {
    name: 'queue positions',
    everyMs: POSITIONS_EVERY_MS,
    run: () => publishPositions(generation, positions),
    onFollow: () => positions.clear(),
  };
}
