import type { Readable } from 'node:stream';
import type { StorageEngine } from 'multer';

/** The store's data about an object. */
export interface ObjectFacts {
  /** Bytes. */
  size: number;
  /** Changes whenever the object's bytes change. */
  etag: string;
}

/** A URL that lets its holder do one action on one object until it expires. */
export interface SignedAddress {
  url: string;
  /** Headers that the request must have. A signed content-length is not among them, because browsers set it themselves. */
  headers: Record<string, string>;
  expiresInSeconds: number;
}

/** A part that was uploaded. */
export interface UploadedPart {
  PartNumber: number;
  ETag: string;
  /** Bytes. */
  Size: number;
}

/** The headers of a signed download's answer. */
export interface DownloadOptions {
  /** The media type of the answer. */
  type: string;
  /** Value of its Content-Disposition. */
  disposition: string;
}

/** The object does not exist, or differs from `ifMatch`. */
export class ObjectMissingError extends Error {
  override name = 'ObjectMissingError';
}

/** The store refuses the parts of an upload: unknown upload, missing or too small parts. */
export class UploadRefusedError extends Error {
  override name = 'UploadRefusedError';
}

/** The store does not offer the requested function (temporary credentials). */
export class NotOfferedError extends Error {
  override name = 'NotOfferedError';
}

/** Files of users, each under a key with its owner's prefix. Keys come from the caller, never from a client. */
export interface ObjectStore {
  /** The bucket's name, for answers that contain it. */
  readonly bucket: string;
  /** Origin (scheme, host, port) of the URLs for browsers, for the content security policy. */
  readonly publicOrigin: string;

  /** @returns null when there is no such object */
  head: (key: string) => Promise<ObjectFacts | null>;
  /**
   * Reads an object, or bytes `start` to `end` (inclusive) of it. Destroy the stream to stop early.
   * @throws ObjectMissingError
   */
  read: (
    key: string,
    options?: { ifMatch?: string; range?: { start: number; end: number }; signal?: AbortSignal },
  ) => Promise<Readable>;
  /** Writes a whole object from memory; only for small ones. */
  write: (key: string, body: Uint8Array, options: { type: string }) => Promise<void>;
  /** Writes an object of any size from a stream, in parts. When the stream fails, nothing remains. */
  writeStream: (key: string, body: Readable, options: { type: string }) => Promise<void>;
  /**
   * Copies an object inside the store if it still has the given etag.
   * @throws ObjectMissingError
   */
  copy: (
    from: { key: string; ifMatch: string },
    to: { key: string; type: string },
  ) => Promise<void>;
  /** Removes one object, if it exists. */
  remove: (key: string) => Promise<void>;
  /**
   * Removes every object whose key begins with `prefix`, and aborts unfinished uploads under it.
   * @param prefix ends with a slash, so that it covers one owner only
   */
  removeAll: (prefix: string) => Promise<void>;
  /**
   * The number of objects and unfinished uploads under `prefix`.
   * @param prefix ends with a slash
   */
  count: (prefix: string) => Promise<number>;

  /** A URL to PUT an object of exactly `size` bytes to. */
  signPut: (
    key: string,
    options: { type?: string; size: number; expiresInSeconds: number },
  ) => Promise<SignedAddress>;
  /** A URL to GET an object from. */
  signGet: (
    key: string,
    options: DownloadOptions & { expiresInSeconds: number },
  ) => Promise<SignedAddress>;

  /**
   * Begins a multipart upload.
   * @returns its id
   */
  createUpload: (key: string, options: { type: string }) => Promise<string>;
  /** @throws UploadRefusedError when the upload is unknown */
  listParts: (upload: { key: string; uploadId: string }) => Promise<UploadedPart[]>;
  /** A URL to PUT one part of exactly `size` bytes to. */
  signPart: (
    upload: { key: string; uploadId: string; partNumber: number },
    options: { size: number; expiresInSeconds: number },
  ) => Promise<SignedAddress>;
  /**
   * Joins the parts. Completing an upload twice does no harm.
   * @throws UploadRefusedError
   */
  completeUpload: (
    upload: { key: string; uploadId: string },
    parts: { PartNumber: number; ETag: string }[],
  ) => Promise<void>;
  /** Drops the parts; no effect on an unknown upload. */
  abortUpload: (upload: { key: string; uploadId: string }) => Promise<void>;

  /**
   * Temporary credentials limited to `prefix`.
   * @throws NotOfferedError when the store has no such service
   */
  temporaryCredentials: (prefix: string) => Promise<{
    credentials: {
      AccessKeyId: string;
      SecretAccessKey: string;
      SessionToken: string;
      Expiration: string;
    };
    bucket: string;
    region: string;
  }>;
}

/** The storage of a form's file (multipart/form-data) while it arrives. */
export interface FormStorage {
  /** A storage engine that writes one file under `key`. The reported size may be 0: use `head`. */
  formStorage: (key: string) => StorageEngine;
}
