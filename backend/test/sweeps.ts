// Each entry is `<command> <collection> <fields of the filter>`.

/** Sweeps look through the data of all users. */
const SWEEPS = [
  'find data_exports dueAt,state',
  'find data_exports expiresAt',
  'find file_storage pending.at',
  'find messages $or,active,heartbeatAt',
  'find messages _id,active,status',
  'find messages _id,active',
  'find messages _id,unindexed',
  'find messages charges.at',
  'find messages postSteps.sweepAt',
  'find conversations $or,deletedAt',
  'find conversations createdAt,deletedAt,temporary',
  'update conversations _id,deletedAt',
  'find conversations handover.at',
  'find deleted_files at',
  'find files conversationIds,inLibrary,unusedSince',
  'find files reading.dueAt,state',
  'find files recognition.dueAt,recognition.isPending',
  'find files state,storingSince',
  'find memories isErasing',
  'find usage_periods _id,changedAt',
  'find usage_periods changedAt',
  'find usage_periods reservations.touchedAt',
  'findAndModify uploads sweepAt',
];

/** Migrations read and change the data of all users once. */
const MIGRATIONS = ['find personas card', 'find uploads key', 'find usage_periods'];

/** The deletion and the export of an account, which know no conversations. */
const OF_ACCOUNTS = [
  'aggregate messages authorId',
  'aggregate messages authorId,metadata.erased',
  'update messages authorId,metadata.erased',
  'find messages active,ownerId,payer.userId',
  'find conversations $or,handover.at',
  'aggregate messages ownerId',
  'aggregate views userId',
  'delete views userId',
  'find views userId',
  'delete messages ownerId',
  'find messages $or,_id',
  'find messages $or,ownerId,role',
  'find messages ownerId,role',
  'find messages ownerId,postSteps.heartbeatAt,postSteps.sweepAt',
  'update messages ownerId,postSteps.sweepAt',
];

/** Calls of the API that name a reply without its conversation: one read by `_id` on each shard. */
const BY_REPLY = ['find messages _id,ownerId,role', 'find messages _id,role'];

/** What somebody else shares: who asks does not know the owner. */
const SHARED = [
  'find conversations _id,deletedAt',
  'find conversations _id,deletedAt,grants.principal',
  'find conversations _id,grants.principal',
  'find conversations deletedAt,grants.principal,trial',
  'find conversations _id,deletedAt,grants.principal,trial',
  'find conversations deletedAt,grants.principal,title,trial',
  'find conversations $or,deletedAt,grants.principal,trial,updatedAt',
  'find files _id,conversationIds.0',
  'find files _id,conversationIds',
  'update conversations grants.principal',
];

/** Statements of the tests themselves. The same filter is noticed in a process of the product, not in what a test calls in its own process. */
export const STATEMENTS_OF_TESTS: ReadonlySet<string> = new Set([
  'delete uploads _id',
  'find uploads _id',
  'update uploads _id',
  'aggregate memory_events memoryId',
  'aggregate messages unindexed',
  'delete conversations _id',
  'delete deleted_files',
  'delete files _id',
  'delete memory_events _id',
  'delete messages',
  'delete messages _id',
  'delete uploads',
  'find conversations',
  'find conversations _id',
  'find data_exports',
  'find deleted_files',
  'find file_storage',
  'find files',
  'find files _id',
  'find memories',
  'find memory_events',
  'find memory_forgettings',
  'find messages',
  'find messages _id',
  'find messages ownerId',
  'find persona_cards',
  'find persona_drafts',
  'find personas',
  'find personas _id',
  'find personas name,slot',
  'find searchentries',
  'find searchentries _id',
  'find uploads',
  'find usage_caps',
  'find usage_ledger',
  'update conversations _id',
  'update data_exports exportId',
  'update files _id',
  'update memories _id',
  'update messages _id',
  'update messages ownerId',
  'update persona_cards _id',
  'update personas _id',
]);

/** Commands that may lack the shard key. */
export const WITHOUT_KEY: ReadonlySet<string> = new Set([
  ...SWEEPS,
  ...MIGRATIONS,
  ...OF_ACCOUNTS,
  ...BY_REPLY,
  ...SHARED,
]);

/** The runs of a daily task: one document a day, and each is kept for 400 days. */
const DAILY_RUNS = ['find payment_comparisons', 'find usage_audits'];

/** Commands that may read a whole collection; the others are statements of the tests themselves. */
export const READS_ALL: ReadonlySet<string> = new Set([
  ...DAILY_RUNS,
  ...MIGRATIONS,
  'aggregate links',
  'aggregate messages unindexed',
  'aggregate payment_events',
  'aggregate sessions',
  'aggregate users',
  'delete deleted_files',
  'delete links',
  'delete messages',
  'delete sessions',
  'delete subscriptions',
  'delete uploads',
  'delete users',
  'find conversations',
  'find data_exports',
  'find deleted_files',
  'find deletion_receipts',
  'find file_storage',
  'find files',
  'find links',
  'find memories',
  'find memory_events',
  'find memory_forgettings',
  'find messages',
  'find payment_events',
  'find persona_cards',
  'find persona_drafts',
  'find personas',
  'find personas name,slot',
  'find searchentries',
  'find sessions',
  'find subscriptions',
  'find uploads',
  'find usage_caps',
  'find usage_guest_hours',
  'find usage_ledger',
  'find users',
  'update data_exports exportId',
  'update sessions',
]);
