import { mistakes } from './patches.mjs';

const SEARCH = 'backend/src/features/chat/search';
const PORT = 'backend/src/search';
const BEHAVIOUR = ['test/search.test.ts'];
const RUNNER = ['src/features/chat/generation/runner.test.ts'];
const CONFORMANCE = ['src/search/mongo.conformance.test.ts'];

export const SEARCH_MUTATIONS = [
  ...mistakes(
    { file: `${SEARCH}/unindexed-model.ts`, tests: BEHAVIOUR },
    {
      'find: async': ['find({ ~~unindexed: { $gte: 0 }~~ }'],
      'markIndexed: async': ['_id: id~~, ownerId~~,', '~~, unindexed: version~~ }'],
      'exists: async': ['_id: id~~, ownerId~~ }'],
      'texts: async': ['ids }~~, ownerId~~ }'],
    },
  ),
  ...mistakes(
    { file: `${SEARCH}/indexer.ts`, tests: BEHAVIOUR },
    {
      'const index = async': [
        ['if (~~await unindexed.markIndexed(message)~~) return', 'true'],
        ['if (~~!(await unindexed.exists(message))~~)', 'false'],
      ],
      'return async': [['while (~~await isLeader()~~)', 'true']],
    },
  ),
  ...mistakes(
    { file: `${SEARCH}/service.ts`, tests: BEHAVIOUR },
    {
      'const present = async': [['= ~~title !== undefined && ~~content', '']],
      'find: async': ['~~if (result) ~~results.push', '~~before = match;~~'],
    },
  ),
  ...mistakes(
    { file: `${SEARCH}/migrations.ts`, tests: BEHAVIOUR },
    { "id: '0012-message-search'": ['~~, active: { $exists: false }~~'] },
  ),
  ...mistakes(
    { file: 'backend/src/features/chat/messages/send-model.ts', tests: BEHAVIOUR },
    {
      'insert: async (send': ['~~unindexed: 0,~~\n'],
      'storeMessage: async': ['~~unindexed: 0,~~'],
    },
  ),
  ...mistakes(
    { file: 'backend/src/features/chat/generation/attempt-model.ts', tests: RUNNER },
    { 'finish: async': ['~~unindexed: attempt,~~'] },
  ),
  ...mistakes(
    { file: 'backend/src/features/chat/conversations/deletion.ts', tests: BEHAVIOUR },
    { 'export function createConversationErasing': ['~~await removeFromSearch(scope);~~'] },
  ),
  ...mistakes(
    { file: `${PORT}/entry-model.ts`, tests: CONFORMANCE },
    {
      'put: async': ['_id: id~~, ownerId~~ });'],
      'find: async': [
        '~~createdAt: { $lte: before.createdAt },~~',
        ['_id: { ~~$lt~~: before', '$lte'],
      ],
      'remove: async': [
        'deleteMany({\n        ~~ownerId,~~',
        '~~...(conversationId && { conversationId }),~~',
        '~~...(messageId && { _id: messageId }),~~',
      ],
    },
  ),
];
