import { mistakes } from './patches.mjs';

const FILES = 'backend/src/features/files';
const CHAT = 'backend/src/features/chat';
const ATTACH = ['src/features/files/attach.test.ts'];
const DELETION = ['src/features/files/deletion.test.ts'];
const NAMES = ['src/features/files/names.test.ts'];
const STORES = ['test/chat-stores.test.ts'];

export const FILE_MUTATIONS = [
  ...mistakes(
    { file: `${FILES}/store-model.ts`, tests: [...ATTACH, ...DELETION] },
    {
      'find: async': ['findOne({ _id: id~~, ownerId~~ }'],
      'findMany: async': ['$in: ids }~~, ownerId~~ }'],
      'findByContent: async': ['findOne({ ~~ownerId, ~~sha256'],
      'insert: async': [['if (~~isDuplicateKey(error)~~)', 'false']],
      'attachAgain: async': [['~~inLibrary ? { inLibrary } : { unusedSince: now }~~', '{}']],
      'sumOf: async': ['~~{ $match: { ownerId: new Types.ObjectId(ownerId) } },~~'],
    },
  ),
  ...mistakes(
    { file: `${FILES}/storage-model.ts`, tests: ATTACH },
    {
      'reserve: async': ['{ _id: ownerId~~, used: { $lte: room }~~ }'],
      'release: async': ["{ _id: ownerId~~, 'pending.fileId': fileId~~ }"],
      'correct: async': ['{ _id: ownerId~~, version~~ }'],
    },
  ),
  ...mistakes(
    { file: `${FILES}/storage.ts`, tests: ATTACH },
    {
      'const recount': [
        ['const recent = ~~pending.filter(({ at }) => at.getTime() >= oldest)~~', 'pending'],
        ['const open = ~~recent.filter(({ fileId }) => !present.includes(fileId))~~', 'recent'],
      ],
    },
  ),
  ...mistakes(
    { file: `${FILES}/attach.ts`, tests: ATTACH },
    {
      'const insert = async': ['~~await storage.release(ownerId, reservation);~~'],
      'const finishStoring': ['key: upload.key~~, ifMatch: upload.etag~~'],
      'const storeUpload': ['~~await objects.remove(key);\n      throw~~'],
      'const attached = async': ["~~if (!grant) throw notFound('upload');~~"],
    },
  ),
  ...mistakes(
    { file: `${FILES}/deletion-model.ts`, tests: DELETION },
    {
      'const remove = async': ['_id: id, ~~ownerId, ~~...condition', 'ownerId~~, ...condition~~ }'],
      'noted: async': ['~~at: { $lt: before }~~'],
      'removeOnlyUsedBy: (': [
        '~~conversationIds: { $size: 1, $all: [conversationId] },~~',
        '~~inLibrary: { $ne: true },~~',
        '~~unusedSince: null,~~',
      ],
      'const unused =': [
        '~~unusedSince: { $lt: before },~~',
        '~~conversationIds: { $size: 0 },~~',
        '~~inLibrary: { $ne: true },~~',
      ],
    },
  ),
  ...mistakes(
    { file: `${FILES}/deletion.ts`, tests: DELETION },
    {
      'const deleteBy': ['~~await deletions.note(file, now());~~'],
      'sweepDeleted: async': ['~~if (!(await store.find(file))) ~~await removeObjects'],
    },
  ),
  ...mistakes(
    { file: `${FILES}/use-model.ts`, tests: DELETION },
    {
      'add: async': ['$in: fileIds }~~, ownerId~~ }', '~~, $unset: { unusedSince: 1 }~~'],
      'of: async': [
        'find({ ~~ownerId, ~~conversationIds',
        'ownerId~~, conversationIds: conversationId~~ }',
      ],
    },
  ),
  ...mistakes(
    { file: `${FILES}/download.ts`, tests: NAMES },
    { 'export function downloadOptions': ['INERT.test(type)~~ && !SCRIPTABLE.test(type)~~'] },
  ),
  ...mistakes(
    { file: `${CHAT}/conversations/deletion-model.ts`, tests: STORES },
    {
      'markDeleted: async': ['_id: id~~, ownerId~~, deletedAt', 'ownerId~~, deletedAt: null~~ }'],
      'restore: async': [
        '_id: id~~, ownerId~~, deletedAt',
        '~~deletedAt: { $gte: since }, ~~isErasing',
      ],
      'deleted: async': ['~~deletedAt: { $lt: before }~~'],
    },
  ),
  ...mistakes(
    { file: `${CHAT}/conversations/model.ts`, tests: STORES },
    {
      'page: async': ['~~deletedAt: null,~~'],
      '    find: async': ['_id: id~~, deletedAt: null~~ }'],
    },
  ),
];
