import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { runJob } from '../../jobs/worker.ts';
import { defineFeature } from '../define-feature.ts';
import { conversationRoutes, createConversationService } from './conversations/index.ts';
import { createChat, defineModels, type Others } from './create.ts';
import {
  createMessageRemoval,
  createReplyService,
  createRunner,
  createSweeper,
  replyJob,
  replyRoutes,
  STOP_CHANNEL,
  SWEEP_EVERY_MS,
  withLiveText,
} from './generation/index.ts';
import {
  createBeginning,
  createMessagePages,
  createMessageService,
  formerRepliesMigration,
  messageRoutes,
  messageTreeMigration,
  sendCounter,
} from './messages/index.ts';

/** Conversations, their messages, and the replies of the model. */
export const chat = defineFeature({
  name: 'chat',
  models: defineModels,
  migrations: [messageTreeMigration, formerRepliesMigration],
  socketEvents: ['reply:delta', 'reply:state', 'message:created', 'conversation:changed'],
  create: (core, others: Others) => createChat(core, others),
  routes: ({ service, others, ...core }) => {
    const deps = { ...core, ...service, ...others };
    const messages = createMessageService({
      ...deps,
      enqueue: ({ id, jobId, conversationId }) =>
        deps.producer.add(jobId, { replyId: id, conversationId }),
      newId: () => randomBytes(12).toString('hex'),
    });
    const pages = createMessagePages({
      ...deps,
      withLiveText: (reply) => withLiveText(reply, deps.replyLog),
    });
    return [
      conversationRoutes({
        ...deps,
        conversations: createConversationService(deps),
        begin: createBeginning({ ...deps, messages }),
        countSends: sendCounter(deps.rateLimit),
      }),
      messageRoutes({ ...deps, messages, pages }),
      replyRoutes({ ...deps, replies: createReplyService(deps) }),
    ];
  },
  jobs: async ({ service, others, ...core }) => {
    const { config, subscriptions } = core;
    const runner = createRunner({
      ...core,
      ...service,
      ...others,
      maxTokens: config.MAX_REPLY_TOKENS,
      budgetTokens: config.CONTEXT_TOKENS,
      sleep: (ms) => sleep(ms),
    });
    await subscriptions.listen(STOP_CHANNEL, runner.stop);
    const concurrency = config.WORKER_CONCURRENCY;
    return [runJob(replyJob, runner.run, { concurrency, handOver: runner.handOver })];
  },
  sweeps: ({ service, ...core }) => [
    {
      name: 'replies without a job',
      everyMs: SWEEP_EVERY_MS,
      run: createSweeper({ ...core, ...service }),
    },
  ],
  eraseUser: ({ service, redis }) => {
    const removeMessages = createMessageRemoval({ ...service, redis, sleep: (ms) => sleep(ms) });
    return async (userId) => {
      await removeMessages(userId);
      await service.conversations.removeAllOf(userId);
    };
  },
});
