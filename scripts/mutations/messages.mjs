import { mistakes } from './patches.mjs';

const CHAT = 'backend/src/features/chat';
const PAGES = ['test/pages.test.ts'];
const BRANCHES = ['test/branches.test.ts'];
const CUTS = ['test/send-cuts.test.ts'];
const LIST = ['test/conversations.test.ts'];
const STORES = ['test/chat-stores.test.ts'];

export const MESSAGE_MUTATIONS = [
  ...mistakes(
    { file: `${CHAT}/messages/model.ts`, tests: STORES },
    {
      'conversationId: 1, clientMessageId: 1, role: 1': ['~~unique: true, ~~partial'],
      '{ conversationId: 1, active: 1 }': ['~~unique: true, ~~partial'],
    },
  ),

  ...mistakes(
    { file: `${CHAT}/messages/tree-model.ts`, tests: STORES },
    {
      'const within =': ['~~...(ownerId && { ownerId }),~~'],
      'const deepest = async': ['~~...within(scope), ~~...'],
      'const readLevels': ['~~...within(scope), ~~_id', '~~...within(scope), ~~depth'],
      'const readPath =': ['read({ ~~...within(scope), ~~_id'],
      '    find: async': ['~~...within(scope), ~~_id'],
      'findReply: async': ['_id: id, ~~ownerId, ~~role'],
      'children: async': ['conversationId, ~~ownerId, ~~depth, parentId'],
      'newestLeafBelow: async': ['readPlaces({ conversationId, ~~ownerId, ~~depth'],
      'activeReplyId: async': ['findOne({ conversationId, ~~ownerId, ~~active'],
      'removeAllOf: async': ['deleteMany({ ~~ownerId~~ })'],
    },
  ),
  ...mistakes(
    { file: `${CHAT}/messages/tree-model.ts`, tests: [...PAGES, ...BRANCHES, ...STORES] },
    {
      'findReply: async': ["ownerId~~, role: 'assistant'~~"],
      'children: async': ['readPlaces({ ~~conversationId, ~~ownerId', 'depth~~, parentId~~ }'],
      'newestLeafBelow: async': [
        '~~if (!place.parentId || !below.has(place.parentId)) continue;~~',
        ['if (~~place.createdAt > newest.createdAt~~)', 'true'],
      ],
      'activeReplyId: async': [
        'findOne({ ~~conversationId, ~~ownerId',
        'ownerId~~, active: true~~ }',
      ],
    },
  ),

  ...mistakes(
    { file: `${CHAT}/messages/send-model.ts`, tests: [...CUTS, ...STORES] },
    {
      'const insert =': [['if (~~isDuplicateKey(error)~~)', 'false']],
      '    find: async': ['otherIds] }, ~~conversationId, ~~ownerId', '~~, ownerId~~ })'],
      'storeMessage: async': [
        ['{ ~~$setOnInsert~~: {', '$set'],
        ['if (~~isDuplicateKey(error)~~)', 'false'],
      ],
      'const queuedReply': ['~~active: true,~~'],
    },
  ),

  ...mistakes(
    { file: `${CHAT}/messages/completion.ts`, tests: CUTS },
    {
      'return async (reply)': [
        [
          'from: ~~reply.outbox.leafBefore~~',
          '(await conversations.find(reply.conversationId)).activeLeafId',
        ],
      ],
    },
  ),

  ...mistakes(
    { file: `${CHAT}/messages/start.ts`, tests: BRANCHES },
    { 'const makeLeaf': ['~~ && activeId === reply.id~~'] },
  ),

  ...mistakes(
    { file: `${CHAT}/messages/parent.ts`, tests: BRANCHES },
    {
      'const toParent': [
        "~~if (record.role === 'user') throw followsUserMessage();~~",
        '~~if (isActive(record.status)) throw replyInProgress();~~',
      ],
    },
  ),

  ...mistakes(
    { file: `${CHAT}/messages/pages.ts`, tests: PAGES },
    {
      'const accessible': [
        [
          '~~requireAccess(actor, await conversations.find(id), ~~',
          '(await conversations.find(id), ',
        ],
      ],
    },
  ),

  ...mistakes(
    { file: `${CHAT}/messages/service.ts`, tests: [...BRANCHES, ...CUTS] },
    {
      'const sendTo': [['if (~~conversation.activeLeafId === ids.replyId~~)', 'false']],
      'const access =': [
        [
          '~~requireAccess(actor, await conversations.find(id), ~~',
          '((actor, id) => id)(await conversations.find(id), await conversations.find(id), ',
        ],
      ],
      'const yieldTo': [
        ['if (~~!stored || !isStarting(stored.reply)~~)', 'true'],
        ['if (~~!stored || !isStarting(stored.reply)~~)', 'false'],
      ],
      'const createConversation': [
        '~~await admitted;~~',
        "~~if (created.isDeleted) throw notFound('conversation');~~",
      ],
    },
  ),

  ...mistakes(
    { file: `${CHAT}/messages/regenerate.ts`, tests: [...BRANCHES, ...CUTS] },
    {
      'export function createRegeneration': [
        '~~if (isActive(earlier.status)) throw replyInProgress();~~',
      ],
      'leafBefore: conversation.activeLeafId': [
        '~~await release(replyId, conversation.ownerId);~~',
      ],
    },
  ),

  ...mistakes(
    { file: `${CHAT}/conversations/model.ts`, tests: [...LIST, ...STORES] },
    {
      'insert: async': ['_id: id~~, ownerId~~ })', ['!id || ~~!isDuplicateKey(error)~~', 'true']],
      'page: async': [
        '~~ownerId,~~\n          deletedAt',
        'updatedAt: { $lt: before.updatedAt } }, { ~~_id: { $lt: before.id }~~ }',
        '~~updatedAt: { $lte: before.updatedAt },~~',
        '~~{ updatedAt: { $lt: before.updatedAt } }, ~~{',
      ],
      'change: async': ['_id: id~~, ownerId~~, deletedAt', ', ownerId~~, deletedAt: null~~ }'],
      'removeAllOf: async': ['deleteMany({ ~~ownerId~~ })'],
    },
  ),
  ...mistakes(
    { file: `${CHAT}/conversations/model.ts`, tests: [...BRANCHES, ...CUTS, ...STORES] },
    {
      'moveLeaf: async': [
        '_id: id, ~~ownerId, ~~activeLeafId',
        'ownerId, ~~activeLeafId: from, ~~isErasing',
        'activeLeafId: from~~, isErasing: null~~ }',
        ['{ ~~$max~~: { updatedAt: at } }', '$set'],
      ],
    },
  ),

  ...mistakes(
    { file: `${CHAT}/conversations/service.ts`, tests: [...LIST, ...BRANCHES] },
    {
      'const access =': [
        [
          '~~requireAccess(actor, await conversations.find(id), ~~',
          '(await conversations.find(id), ',
        ],
      ],
      'const selectBranch': [
        '~~if (!message) throw~~ notFound',
        ['if (~~activeReplyId~~ ||', 'false'],
        ['from: ~~activeLeafId~~, to', '(await conversations.find(id)).activeLeafId'],
      ],
    },
  ),
];
