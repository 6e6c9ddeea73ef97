import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTaskSweep } from '../../jobs/durable.ts';
import { createLeadership } from '../../jobs/leadership.ts';
import { runJob } from '../../jobs/worker.ts';
import { defineFeature } from '../define-feature.ts';
import {
  deleteExpired,
  ERASE_AFTER_MS,
  ERASE_EVERY_MS,
  eraseDeleted,
  TEMPORARY_EVERY_MS,
  TEMPORARY_LIFETIME_MS,
} from './conversations/index.ts';
import { createChat, type Others } from './create.ts';
import {
  createChatExport,
  createConversationExport,
  createConversationImport,
  createImportedMessageStore,
  exportRoutes,
  importRoutes,
} from './exports/index.ts';
import { defineModels } from './feature.ts';
import {
  createMessageRemoval,
  createPositions,
  createReplyFeedback,
  createReplyService,
  createRunner,
  createSweeper,
  ENDED_LOG_SECONDS,
  POSITIONS_EVERY_MS,
  replyJob,
  replyRoutes,
  STOP_CHANNEL,
  SWEEP_EVERY_MS,
} from './generation/index.ts';
import { createPostSteps, postStepJob } from './post-steps/index.ts';
import { chatRoutes } from './routes.ts';
import { createIndexer, INDEX_EVERY_MS } from './search/index.ts';

export type { RequestStep } from './post-steps/index.ts';

const STEP_SWEEP_EVERY_MS = 5_000;

const newId = () => randomBytes(12).toString('hex');

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
  routes: ({ service, others, ...core }) => {
    const deps = { ...core, ...service, ...others };
    return [
      ...chatRoutes(service, core.rateLimit),
      exportRoutes({ ...core, exportConversation: createConversationExport(deps) }),
      replyRoutes({
        ...deps,
        replies: createReplyService(deps),
        rateReply: createReplyFeedback(deps),
      }),
    ];
  },
  rawRoutes: ({ service, models, others, ...core }) => [
    importRoutes({
      ...core,
      importConversation: createConversationImport({
        ...core,
        ...others,
        imports: service.imports,
        imported: createImportedMessageStore(models.messages),
        newId,
      }),
    }),
  ],
  jobs: async ({ service, others, ...core }) => {
    const { config, subscriptions } = core;
    const postSteps = createPostSteps({ ...core, ...service });
    const runner = createRunner({
      ...core,
      ...service,
      ...others,
      postSteps,
      maxTokens: service.limits.maxReplyTokens,
      budgetTokens: config.CONTEXT_TOKENS,
      sleep: (ms) => sleep(ms),
    });
    await subscriptions.listen(STOP_CHANNEL, runner.stop);
    const concurrency = config.WORKER_CONCURRENCY;
    return [
      runJob(replyJob, runner.run, {
        concurrency,
        releaseAll: runner.releaseAll,
        onStart: service.fairQueue.started,
      }),
      runJob(postStepJob, postSteps.run, postSteps),
    ];
  },
  sweeps: ({ service, ...core }) => [
    {
      name: 'deleted conversations',
      everyMs: ERASE_EVERY_MS,
      run: () => eraseDeleted(service),
    },
    {
      name: 'temporary conversations',
      everyMs: TEMPORARY_EVERY_MS,
      run: () => deleteExpired(service),
    },
    {
      name: 'replies without a job',
      everyMs: SWEEP_EVERY_MS,
      run: createSweeper({ ...core, ...service }),
    },
    {
      name: 'post-steps without a job',
      everyMs: STEP_SWEEP_EVERY_MS,
      run: createTaskSweep({ ...core, tasks: service.steps.tasks, queue: service.stepQueue }),
    },
    {
      name: 'messages for the search',
      everyMs: INDEX_EVERY_MS,
      run: createIndexer(
        service,
        createLeadership(core.redis, {
          name: 'message-index',
          id: randomUUID(),
          leaseMs: 10 * INDEX_EVERY_MS,
        }),
      ),
    },
    {
      name: 'queue positions',
      everyMs: POSITIONS_EVERY_MS,
      run: createPositions({
        ...core,
        ...service,
        isLeader: createLeadership(core.redis, {
          name: 'queue-positions',
          id: randomUUID(),
          leaseMs: 3 * POSITIONS_EVERY_MS,
        }),
      }),
    },
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
  eraseUser: ({ service, redis, now }) => {
    const deps = { ...service, redis, now, sleep: (ms: number) => sleep(ms) };
    const removeMessages = createMessageRemoval(deps);
    return async (userId) => {
      await removeMessages(userId);
      await service.search.remove({ ownerId: userId });
      await service.conversations.removeAllOf(userId);
      await service.fairQueue.forget(userId);
    };
  },
});
