import { mistakes } from './patches.mjs';

const MEMORY = 'backend/src/features/memory';
const tests = ['memory', 'read', 'stores', 'write'].map(
  (name) => `src/features/memory/${name}.test.ts`,
);

export const MEMORY_MUTATIONS = [
  ...mistakes(
    { file: `${MEMORY}/model.ts`, tests },
    {
      'insert: async': [['if (~~isDuplicateKey(error)~~)', 'true']],
      'find: async': ['findOne({ _id: id~~, ownerId~~ })'],
      'findMany: async': ['{ $in: ids }~~, ownerId~~ }'],
      'list: async': [
        '~~ownerId,~~\n        state',
        '~~state: { $in: states },~~',
        '~~...(scopes && { $or: scopes.map(({ scope, scopeId }) => ({ scope, scopeId })) }),~~',
        'scopes.map(({ scope, scopeId }) => ({ scope~~, scopeId~~ }))',
      ],
      'count: (': [
        'countDocuments({ ~~ownerId, ~~state',
        "~~, state: { $in: ['active', 'pending'] }~~",
      ],
      'change: async': [
        '{ _id: id, ~~ownerId, ~~version }',
        '{ _id: id, ownerId~~, version~~ }',
        "~~...(isErased && { text: '' })~~",
        '~~...(isErased && { isErasing: true })~~',
      ],
      'changedBy: async': ['find({ ~~ownerId, ~~', "ownerId~~, 'lastEvent.replyId': replyId~~"],
      'erasing: async': ['find({ ~~isErasing: true~~ })'],
      'markErased: async': ['{ $in: ids }~~, ownerId~~ }'],
      'removeAllOf: async': ['deleteMany({ ~~ownerId~~ })'],
    },
  ),
  ...mistakes(
    { file: `${MEMORY}/model.ts`, tests: ['src/features/memory/size.test.ts'] },
    { 'activeTexts: async': ['find({ ~~ownerId, ~~state'] },
  ),
  ...mistakes(
    { file: `${MEMORY}/event-model.ts`, tests },
    {
      'append: async': [['{ ~~$setOnInsert~~: event }', '$set']],
      'ofMemory: async': ['find({ memoryId~~, ownerId~~ })', 'find({ ~~memoryId, ~~ownerId })'],
      'ofReply: async': ['find({ ~~ownerId, ~~replyId })', 'find({ ownerId~~, replyId~~ })'],
      'blank: async': [
        '{ ~~memoryId: { $in: memoryIds }, ~~ownerId }',
        '{ $in: memoryIds }~~, ownerId~~ }',
      ],
      'removeAllOf: async': ['deleteMany({ ~~ownerId~~ })'],
    },
  ),
  ...mistakes(
    { file: `${MEMORY}/forgetting-model.ts`, tests },
    { 'set: async': [['{ ~~$max~~: { forgottenAt', '$set']] },
  ),
  ...mistakes(
    { file: `${MEMORY}/whole.ts`, tests },
    {
      'imported: async': [
        '~~.filter(({ text }) => !texts.has(foldText(text)))~~',
        '~~if (present.length + missing.length > MAX_MEMORIES) throw memoriesFull();~~',
        ["state: ~~'pending'~~,", "'active'"],
      ],
    },
  ),
];
