import { createHash } from 'node:crypto';
import type { Actor } from '../../../access/index.ts';
import type { AttachedFile } from '../../../contract/files.ts';
import { AppError, notFound } from '../../../errors.ts';
import type { Log } from '../../../log.ts';
import { type ObjectFacts, ObjectMissingError, type ObjectStore } from '../../../objects/index.ts';
import type { FileType } from '../../../reading/index.ts';
import { cleanFileName } from '../../../text/file-name.ts';
import { contentKey, type FileRecord, uploadKey } from './file-record.ts';
import { type LimitsFor, type Purpose, storageFull, type UploadLimits } from './plan-limits.ts';
import { presentAttached } from './present.ts';
import type { FileStore, UploadSource } from './records-model.ts';
import type { Storage } from './stored-bytes.ts';

/** Which keys a user was given to upload to, and what became of the uploads. */
export interface Grants {
  /** @returns null when the owner was not given the key */
  find: (grant: {
    ownerId: string;
    key: string;
  }) => Promise<{ fileId?: string | undefined } | null>;
  /** The upload became this file. */
  attach: (grant: { ownerId: string; key: string; fileId: string }) => Promise<unknown>;
}

export interface AttachDeps {
  grants: Grants;
  store: FileStore;
  storage: Pick<Storage, 'reserve' | 'settle' | 'release' | 'used'>;
  objects: Pick<ObjectStore, 'bucket' | 'head' | 'read' | 'copy' | 'remove'>;
  limitsFor: LimitsFor;
  /** What the first bytes and the name of a file say that it is. */
  typeOf: (file: { head: Uint8Array; name: string }) => Promise<FileType>;
  /** Publishes the file to its owner's tabs. */
  tellChanged: (file: FileRecord) => void;
  /** Puts the file into the queue for reading; a sweep finds what is not there. */
  enqueueReading: (file: FileRecord) => Promise<void>;
  newId: () => string;
  now: () => Date;
  log: Log;
}

/** An uploaded object, as the store has it. */
interface Upload extends UploadSource {
  ownerId: string;
  size: number;
}

interface Content extends FileType {
  sha256: string;
}

interface AttachRequest {
  /** The address of the upload, or its key. */
  uploadURL: string;
  fileName: string;
  purpose: Purpose;
}

/** Enough for `typeOf` to tell office formats apart. */
const HEAD_BYTES = 64 * 1024;

/**
 * Makes a file of an uploaded object. Only the object itself counts, not what the client says of it. The record is inserted
 * before the content is copied to its place, so that every step can be repeated: by attaching again, or by `finishStoring`.
 */
export function createAttach(deps: AttachDeps) {
  const { grants, store, storage, objects, now, log } = deps;

  const inspect = async (upload: Upload, name: string): Promise<Content> => {
    const { sha256, head } = await readContent(await objects.read(upload.key, ifMatch(upload)));
    return { sha256, ...(await deps.typeOf({ head, name })) };
  };

  /** @returns null when the owner has the content already, from another upload at the same moment */
  const insert = async (
    upload: Upload,
    file: Content & { name: string; inLibrary: boolean },
    limits: UploadLimits,
  ): Promise<FileRecord | null> => {
    const { ownerId, size, key, etag } = upload;
    const id = deps.newId();
    const reservation = { fileId: id, bytes: size };
    if (!(await storage.reserve(ownerId, reservation, limits.storageBytes)))
      throw storageFull({ used: await storage.used(ownerId), limit: limits.storageBytes });
    const record = { ...file, id, ownerId, size, createdAt: now() };
    if (!(await store.insert({ ...record, upload: { key, etag } }))) {
      await storage.release(ownerId, reservation);
      return null;
    }
    await storage.settle(ownerId, id);
    return store.find({ id, ownerId });
  };

  /** The owner's file with this content: an earlier one, or a new one. */
  const findOrInsert = async (
    upload: Upload,
    file: Content & { name: string; inLibrary: boolean },
    limits: UploadLimits,
  ): Promise<FileRecord> => {
    const again = async () => {
      const earlier = await store.findByContent(upload.ownerId, file.sha256);
      return earlier && store.attachAgain(earlier, { inLibrary: file.inLibrary, now: now() });
    };
    const record = (await again()) ?? (await insert(upload, file, limits)) ?? (await again());
    // Deleted between two of these steps.
    if (!record) throw incomplete();
    return record;
  };

  /** Copies the content to its place, where no address for uploading reaches it. */
  const finishStoring = async (file: FileRecord, upload: UploadSource): Promise<FileRecord> => {
    if (file.state !== 'storing') return file;
    await objects.copy(
      { key: upload.key, ifMatch: upload.etag },
      { key: contentKey(file), type: file.type },
    );
    return finishStored(file);
  };

  /** The content is in its place: the file waits to be read. */
  const finishStored = async (file: FileRecord): Promise<FileRecord> => {
    const stored = await store.markStored(file);
    if (!stored) return requireFile(file);
    deps.tellChanged(stored);
    await deps.enqueueReading(stored).catch((error: unknown) => {
      log.warn({ err: error, fileId: file.id }, 'a file waits for the sweep to be read');
    });
    return stored;
  };

  const requireFile = async (file: { id: string; ownerId: string }): Promise<FileRecord> => {
    const found = await store.find(file);
    if (!found) throw notFound('file');
    return found;
  };

  const headOf = async (key: string): Promise<ObjectFacts> => {
    const facts = await objects.head(key);
    if (!facts) throw incomplete();
    return facts;
  };

  const storeUpload = async (
    actor: Actor,
    { key, name, purpose }: { key: string; name: string; purpose: Purpose },
  ): Promise<FileRecord> => {
    const ownerId = actor.userId;
    const [facts, limits] = await Promise.all([headOf(key), deps.limitsFor(actor, purpose)]);
    if (facts.size > limits.fileBytes) {
      await objects.remove(key);
      throw limits.tooLarge({ name, size: facts.size });
    }
    const upload = { ownerId, key, ...facts };
    const content = await inspect(upload, name);
    const inLibrary = purpose === 'library';
    const file = await findOrInsert(upload, { ...content, name, inLibrary }, limits);
    await grants.attach({ ownerId, key, fileId: file.id });
    const stored = await finishStoring(file, upload);
    await objects.remove(key);
    return stored;
  };

  /** Another request has attached the same upload meanwhile. */
  const attached = async (ownerId: string, key: string): Promise<FileRecord | null> => {
    const grant = await grants.find({ ownerId, key });
    if (!grant) throw notFound('upload');
    const file = grant.fileId ? await store.find({ id: grant.fileId, ownerId }) : null;
    return file?.state === 'storing' ? null : file;
  };

  return {
    finishStoring,
    finishStored,

    /**
     * Makes a file of an upload of the actor; repeated, it answers the same file.
     * @throws AppError not_found for an upload of another user; upload_incomplete when nothing was uploaded;
     *   subscription_required; too_large; storage_full
     */
    attach: async (
      actor: Actor,
      { uploadURL, fileName, purpose }: AttachRequest,
    ): Promise<AttachedFile> => {
      const ownerId = actor.userId;
      const key = keyOf(uploadURL, ownerId);
      const name = cleanFileName(fileName);
      const earlier = await attached(ownerId, key);
      if (earlier) return presentAttached(earlier, objects.bucket);
      try {
        const file = await storeUpload(actor, { key, name, purpose });
        return presentAttached(file, objects.bucket);
      } catch (error) {
        if (!isMissing(error)) throw error;
        const file = await attached(ownerId, key);
        if (!file) throw incomplete(error);
        return presentAttached(file, objects.bucket);
      }
    },
  };
}

/** Upload keys are `users/<owner>/uploads/<name>`, whatever comes before them in an address. */
function keyOf(uploadURL: string, ownerId: string): string {
  const path = /^https?:/i.test(uploadURL) ? pathOf(uploadURL) : uploadURL;
  const prefix = uploadKey(ownerId, '');
  const at = path.startsWith(prefix) ? 0 : path.indexOf(`/${prefix}`) + 1;
  const name = path.slice(at + prefix.length);
  if (!path.startsWith(prefix, at) || name === '' || name.includes('..')) throw notFound('upload');
  return path.slice(at);
}

function pathOf(address: string): string {
  try {
    return decodeURIComponent(new URL(address).pathname);
  } catch {
    throw notFound('upload');
  }
}

async function readContent(stream: AsyncIterable<Uint8Array>) {
  const hash = createHash('sha256');
  const head: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    hash.update(chunk);
    if (bytes < HEAD_BYTES) head.push(chunk);
    bytes += chunk.length;
  }
  return {
    sha256: hash.digest('hex'),
    head: Buffer.concat(head).subarray(0, HEAD_BYTES),
  };
}

const ifMatch = ({ etag }: UploadSource) => ({ ifMatch: etag });

const isMissing = (error: unknown): boolean =>
  error instanceof ObjectMissingError ||
  (error instanceof AppError && error.code === 'upload_incomplete');

const incomplete = (cause?: unknown) =>
  new AppError(
    'upload_incomplete',
    'The upload is not complete. Upload the file again, then attach it.',
    { cause },
  );
