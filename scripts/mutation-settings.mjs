// The targets of `npm run mutation` besides the filters of all `*model.ts`, and the mistakes that no test needs to detect.

/** Files whose conditions are fences, checks of rights, or reservations. Relative to backend/. */
export const GUARDS = [
  'src/access/index.ts',
  'src/db/daily-runs.ts',
  'src/features/accounts/credential-changes.ts',
  'src/features/accounts/takeover.ts',
  'src/features/billing/entitlements.ts',
  'src/features/billing/refresh.ts',
  'src/features/chat/conversations/deletion.ts',
  'src/features/chat/generation/finish.ts',
  'src/features/chat/generation/heartbeat.ts',
  'src/features/chat/generation/removal.ts',
  'src/features/chat/generation/runner.ts',
  'src/features/usage/close.ts',
  'src/features/usage/make-reservation.ts',
  'src/features/usage/reserve.ts',
  'src/jobs/leadership.ts',
];

/** `text` as printed by the run. */
export const ACCEPTED = [
  {
    file: 'src/features/chat/messages/tree-model.ts',
    within: 'placeStore.children',
    text: 'depth',
    reason: 'it follows from parentId, and is there so that the query uses an index',
  },
  {
    file: 'src/features/usage/model.ts',
    within: 'findCalls.findDay',
    text: '[field]: { $exists: true }',
    reason: 'it saves work: the sums of a document without the day are 0',
  },
  {
    file: 'src/features/usage/model.ts',
    within: 'findCalls.findReservations',
    text: "'reservations.replyId': wanted",
    reason: 'it saves work: what was read is filtered again',
  },
];
