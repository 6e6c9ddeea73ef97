import { mistakes } from './patches.mjs';

const UPLOADS = 'backend/src/features/files/uploads';
const S3 = 'backend/src/objects/s3';
const tests = (...names) => names.map((name) => `src/features/files/uploads/${name}.test.ts`);
const CONFORMANCE = ['src/objects/s3.conformance.test.ts'];

export const UPLOAD_MUTATIONS = [
  ...mistakes(
    { file: `${UPLOADS}/upload-model.ts`, tests: tests('grants', 'parts', 'sweep') },
    {
      'schema.index({ key': [', ~~{ unique: true }~~'],
      'countOpen: (': [
        '~~ownerId,~~',
        '~~fileId: null,~~',
        '~~createdAt: { $gt: since },~~',
        '~~expiresAt: { $gt: now() },~~',
      ],
      'find: async': ['findOne({ ~~ownerId, ~~key', 'key~~, expiresAt: { $gt: now() }~~'],
      'begin: async': ['updateOne({ ~~ownerId, ~~key'],
      'attach: async': ['= { ~~ownerId, ~~key', 'key~~, $or: [{ fileId: null }, { fileId }]~~'],
      'end: async': [
        '= { ~~ownerId, ~~key',
        '~~fileId: null, ~~expiresAt',
        'null~~, expiresAt: { $gt: expiresAt }~~',
        '~~expiresAt, ~~sweepAt } }',
      ],
      'endAll: async': ['updateMany({ ~~ownerId~~ }', '~~expiresAt: now()~~', '~~$unset: forget~~'],
      'leaseDue: async': ['= { ~~sweepAt: { $lte: now() }~~ }'],
      'drop: async': ['{ key~~, sweepAt~~ });'],
    },
  ),
  ...mistakes(
    { file: `${UPLOADS}/grants.ts`, tests: tests('uploads', 'grants', 'sweep') },
    {
      'open: async': [
        '~~if (size > fileBytes) throw tooLarge({ name, size });~~',
        ['size ~~>~~ fileBytes', '>='],
        ['~~>~~ MAX_OPEN_UPLOADS', '>='],
        '~~await uploads.end(grant, { sweepAt: createdAt });~~',
      ],
      'end: (grant': ['now().getTime()~~ + SWEEP_DELAY_MS~~'],
    },
  ),
  ...mistakes(
    { file: `${UPLOADS}/service.ts`, tests: tests('uploads', 'parts') },
    {
      'const find = async': ["~~if (grant.uploadId !== uploadId) throw notFound('upload');~~"],
      'abort: async': ['~~await objects.abortUpload(upload);~~', '~~await grants.end(upload);~~'],
      'temporaryCredentials: async': ["~~await limitsFor(actor, 'library');~~"],
    },
  ),
  ...mistakes(
    { file: `${UPLOADS}/form.ts`, tests: tests('form') },
    {
      'export function formRoutes': ['~~await grants.end(grant);~~'],
      'async function receive': ['~~fileSize: fileBytes,~~'],
    },
  ),
  ...mistakes(
    { file: `${UPLOADS}/sweep.ts`, tests: tests('sweep') },
    { '': ['~~await objects.removeAll(folderOf(grant.key));~~'] },
  ),
  ...mistakes(
    { file: `${S3}/objects.ts`, tests: CONFORMANCE },
    {
      'read: async': ['~~...(ifMatch !== undefined && { IfMatch: ifMatch }),~~'],
      'copy: async': ['~~CopySourceIfMatch: from.ifMatch,~~'],
      'removeAll: async': ['~~await abortUploads(prefix);~~'],
    },
  ),
  ...mistakes(
    { file: `${S3}/uploads.ts`, tests: CONFORMANCE },
    {
      'completeUpload: async': [
        'parts~~.toSorted((a, b) => a.PartNumber - b.PartNumber)~~',
        'isUnknownUpload(error)~~ && (await exists(key))~~',
      ],
    },
  ),
  ...mistakes(
    { file: `${S3}/uploads.ts`, tests: ['src/objects/s3/s3.test.ts'] },
    {
      'A client whose connection broke': [
        ['~~isUnknownUpload(error) && (await exists(key))~~', 'false'],
      ],
    },
  ),
  ...mistakes(
    { file: `${S3}/temporary-credentials.ts`, tests: ['src/objects/s3/s3.test.ts'] },
    { 'temporaryCredentials: async': [['if (~~!/^[\\w/-]+\\/$/.test(prefix)~~)', 'false']] },
  ),
];
