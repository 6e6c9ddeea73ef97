import { randomUUID } from 'node:crypto';
import { createTaskSweep } from '../../jobs/durable.ts';
import { createLeadership } from '../../jobs/leadership.ts';
import { runJob } from '../../jobs/worker.ts';
import { type Core, defineFeature, type Sweep } from '../define-feature.ts';
import {
  conversationRoutes,
  createConversationDeletion,
  createConversationDeletionStore,
  createConversationErasing,
  createConversationImportStore,
  createConversationService,
  createTemporaryErasing,
  ERASE_AFTER_MS,
  ERASE_EVERY_MS,
  TEMPORARY_EVERY_MS,
  TEMPORARY_LIFETIME_MS,
} from './conversations/index.ts';
import { createChat, defineModels, type Others } from './create.ts';
import {
  createChatExport,
  createConversationExport,
  createImportedMessageStore,
  exportRoutes,
  importRoutes,
} from './exports/index.ts';
import {
  createReplyWorker,
  ENDED_LOG_SECONDS,
  type GenerationFeature,
  POSITIONS_EVERY_MS,
  type Positions,
  publishPositions,
  releaseAll,
  removeMessagesOf,
  replyJob,
  replyRoutes,
  runReply,
  STOP_CHANNEL,
  SWEEP_EVERY_MS,
  stopHere,
  sweepReplies,
} from './generation/index.ts';
import {
  createMessagePages,
  createMessageService,
  createReplyEstimates,
  messageRoutes,
} from './messages/index.ts';
import { createPostSteps, postStepJob } from './post-steps/index.ts';
import {
  createIndexer,
  createSearchService,
  INDEX_EVERY_MS,
  searchRoutes,
} from './search/index.ts';

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
  ],
  create: (core, others: Others) => createChat(core, others),
  routes: ({ service, others, models, ...core }) => {
    const deps = { ...core, ...service, ...others };
    const exportConversation = createConversationExport(deps);
    const deletion = createConversationDeletion({
      ...deps,
      deletions: createConversationDeletionStore(models.conversations),
    });
    const messages = createMessageService(deps);
    const pages = createMessagePages(deps);
    return [
      conversationRoutes({
        ...deps,
        deletion,
        conversations: createConversationService({
          ...deps,
          findPersona: async (ownerId, id) => {
            const persona = await others.personas.choose(ownerId, id);
            return persona?.isDraft ? null : persona;
          },
        }),
        sendFirst: messages.sendFirst,
      }),
      exportRoutes({ ...deps, exportConversation }),
      messageRoutes({ ...deps, messages, pages, estimateReplies: createReplyEstimates(deps) }),
      replyRoutes(service.generation, core.rateLimit),
      searchRoutes({ ...deps, messageSearch: createSearchService(deps) }),
    ];
  },
  rawRoutes: ({ models, others, ...core }) => [
    importRoutes(
      {
        ...core,
        ...others,
        imports: createConversationImportStore(models.conversations),
        imported: createImportedMessageStore(models.messages),
      },
      core.rateLimit,
    ),
  ],
  jobs: async ({ service, config, subscriptions, ...tools }) => {
    const postSteps = createPostSteps(service.postSteps, tools);
    const worker = createReplyWorker(service.generation, { ...tools, postSteps });
    await subscriptions.listen(STOP_CHANNEL, (replyId) => stopHere(worker, replyId));
    return [
      runJob(replyJob, (job) => runReply(worker, job), {
        concurrency: config.WORKER_CONCURRENCY,
        releaseAll: () => releaseAll(worker),
        onStart: service.fairQueue.started,
      }),
      runJob(postStepJob, postSteps.run, postSteps),
    ];
  },
  sweeps: ({ service, others, models, ...core }) => [
    {
      name: 'deleted conversations',
      everyMs: ERASE_EVERY_MS,
      run: createConversationErasing({
        ...core,
        ...service,
        deletions: createConversationDeletionStore(models.conversations),
        removeFromSearch: service.search.remove,
        releaseFiles: others.files.releaseConversation,
      }),
    },
    {
      name: 'temporary conversations',
      everyMs: TEMPORARY_EVERY_MS,
      run: createTemporaryErasing({
        ...core,
        ...service,
        deletions: createConversationDeletionStore(models.conversations),
      }),
    },
    {
      name: 'replies without a job',
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
      everyMs: INDEX_EVERY_MS,
      run: createIndexer({
        ...core,
        ...service,
        isLeader: createLeadership(core.redis, {
          name: 'message-index',
          id: randomUUID(),
          leaseMs: 10 * INDEX_EVERY_MS,
        }),
      }),
    },
    positionsSweep(service.generation, core.redis),
  ],
  exportUser: ({ service, now }) =>
    createChatExport({
      ...service,
      exportConversation: createConversationExport({ ...service, now }),
    }),
  userStores: ({ service }) => [
    {
      name: 'redis',
      count: async (userId) =>
        (await service.replyLog.count(await service.replies.idsOf(userId, { open: false }))) +
        (await service.fairQueue.count(userId)),
    },
  ],
  eraseUser:
    ({ service }) =>
    async (userId) => {
      await removeMessagesOf(service.generation, userId);
      await service.search.remove({ ownerId: userId });
      await service.conversations.removeAllOf(userId);
      await service.fairQueue.forget(userId);
    },
});

function positionsSweep(generation: GenerationFeature, redis: Core['redis']): Sweep {
  const isLeader = createLeadership(redis, {
    name: 'queue-positions',
    id: randomUUID(),
    leaseMs: 3 * POSITIONS_EVERY_MS,
  });
  const positions: Positions = new Map();
  return {
    name: 'queue positions',
    everyMs: POSITIONS_EVERY_MS,
    run: () => publishPositions(generation, { positions, isLeader }),
  };
}
