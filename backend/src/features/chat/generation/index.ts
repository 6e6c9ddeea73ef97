export { markMemoriesUndone } from './control.ts';
export {
  createGenerationFeature,
  createReplyWorker,
  type GenerationFeature,
  LANE_WEIGHTS,
  replyJob,
  STOP_CHANNEL,
} from './feature.ts';
export { SWEEP_EVERY_MS, sweepReplies } from './heartbeat.ts';
export { ENDED_LOG_SECONDS } from './log.ts';
export { withLiveText } from './parts.ts';
export {
  enqueueReply,
  POSITIONS_EVERY_MS,
  type Positions,
  publishPositions,
  takePriority,
} from './queue.ts';
export { removeMessagesIn, removeMessagesOf, stopRepliesIn } from './removal.ts';
export type { ReplyKey } from './reply-record.ts';
export { replyRoutes } from './routes.ts';
export { releaseAll, runReply, stopHere } from './runner.ts';
