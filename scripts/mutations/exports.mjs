import { mistakes } from './patches.mjs';

const CHAT = 'backend/src/features/chat';
const tests = (...names) => names.map((name) => `src/features/chat/${name}.test.ts`);

export const EXPORT_MUTATIONS = [
  ...mistakes(
    { file: `${CHAT}/generation/model.ts`, tests: tests('generation/feedback') },
    {
      'setFeedback: async': [
        '_id: id, ~~ownerId, ~~role',
        "role: 'assistant'~~, status: { $in: ENDED }~~ }",
        ['feedback ? ~~{ $set: { feedback } }~~', '{}'],
        [': ~~{ $unset: { feedback: 1 } }~~', '{}'],
      ],
    },
  ),
  ...mistakes(
    { file: `${CHAT}/generation/feedback.ts`, tests: tests('generation/feedback') },
    {
      'return async (actor': [
        ["~~requireAccess(actor, await replies.findOwn(id, actor.userId), 'reply')~~", '(await replies.findOwn(id, actor.userId))!'],
        "~~if (!(await conversations.find(reply.conversationId))) throw notFound('reply');~~",
      ],
      'const publish': ['~~current = latest;~~'],
    },
  ),
  ...mistakes(
    { file: `${CHAT}/conversations/import-model.ts`, tests: tests('exports/import') },
    {
      'const document': ['~~deletedAt: now,~~', '~~importId,~~'],
      'renew: async': ['{ ...own(key)~~, isErasing: null~~ }'],
      'complete: async': ['~~deletedAt: 1, ~~importId', 'updatedAt~~, ...(activeLeafId && { activeLeafId })~~ }'],
    },
  ),
  ...mistakes(
    { file: `${CHAT}/conversations/deletion-model.ts`, tests: tests('exports/import') },
    { 'restore: async': ['isErasing: null~~, importId: null~~ }'] },
  ),
  ...mistakes(
    { file: `${CHAT}/exports/import.ts`, tests: tests('exports/import') },
    {
      'return async (actor': [
        '~~if (!(await usage.readAhead(actor)).entitlements.mayChat) throw subscriptionRequired();~~',
        '~~if (Buffer.byteLength(text) > MAX_IMPORT_BYTES) throw tooLarge();~~',
      ],
      'const undo': ['~~await imported.remove(ids, key);~~', '~~await imports.abandon(key);~~'],
      'function existing': ['~~if (isImporting) throw beingImported();~~'],
    },
  ),
  ...mistakes(
    { file: `${CHAT}/exports/message-model.ts`, tests: tests('exports/import') },
    { 'function toDocument': ['attempt: 1~~, metadata: { citations: [] }~~'] },
  ),
  ...mistakes(
    { file: `${CHAT}/exports/export.ts`, tests: tests('exports/exports') },
    {
      'return async (actor': [
        ["~~requireAccess(actor, await conversations.find(id), 'conversation')~~", '(await conversations.find(id))!'],
      ],
      'async function* read': [
        "~~if (records.length < wanted.length) throw new Error('The conversation is being erased.');~~",
      ],
    },
  ),
];
