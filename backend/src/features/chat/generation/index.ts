export { markMemoriesUndone } from './control.ts';
export {
  createGenerationFeature,
  createReplyWorker,
  type GenerationFeature,
  STOP_CHANNEL,
} from './feature.ts';
export { SWEEP_EVERY_MS, sweepReplies } from './heartbeat.ts';
export { withLiveText } from './live-text.ts';
export { ENDED_LOG_SECONDS } from './log.ts';
export {
  enqueueReply,
  POSITIONS_EVERY_MS,
  type Positions,
  publishPositions,
  takePriority,
} from './queue.ts';
export { removeMessagesIn, removeMessagesOf, stopRepliesIn } from './removal.ts';
export { LANE_WEIGHTS } from './reply-queues.ts';
export type { ReplyKey } from './reply-record.ts';
export { runReplies } from './reply-workers.ts';
export { replyRoutes } from './routes.ts';
export { stopHere } from './runner.ts';
