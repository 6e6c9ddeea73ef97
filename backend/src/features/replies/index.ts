export { createFinisher } from './finish.ts';
export { type ReplyJob, replyJob } from './job.ts';
export { withLiveText } from './live.ts';
export { createReplyLog, type ReplyLog } from './log.ts';
export { createMessageRemoval } from './removal.ts';
export { replyRoutes } from './routes.ts';
export { createRunner } from './runner.ts';
export { createReplyService, STOP_CHANNEL } from './service.ts';
export { createSweeper, SWEEP_EVERY_MS } from './sweeper.ts';
