import type { Readable } from 'node:stream';
import type { StorageEngine } from 'multer';

/** What the store knows of an object. */
export interface ObjectFacts {
  /** Bytes. */
  size: number;
  /** Changes whenever the object's bytes change. */
  etag: string;
}

/** An address that lets its holder do one thing to one object until it expires. */
export interface SignedAddress {
  url: string;
  /** Headers that the request must carry; a signed content-length is not among them, browsers set it themselves. */
  headers: Record<string, string>;
  expiresInSeconds: number;
}

/** A part of an upload that has arrived. */
export interface UploadedPart {
  PartNumber: number;
  ETag: string;
  /** Bytes. */
  Size: number;
}

/** How a signed download is answered. */
export interface DownloadOptions {
  /** The media type of the answer. */
  type: string;
  /** Value of its Content-Disposition. */
  disposition: string;
}

/** The object is not there, or is another one than `ifMatch` names. */
export class ObjectMissingError extends Error {
  override name = 'ObjectMissingError';
}

/** The store refuses the parts of an upload: unknown upload, missing or too small parts. */
export class UploadRefusedError extends Error {
  override name = 'UploadRefusedError';
}

/** The store does not offer what was asked (temporary credentials). */
export class NotOfferedError extends Error {
  override name = 'NotOfferedError';
}

/** Files of users, each under a key that begins with its owner's prefix. Keys come from the caller, never from a client. */
export interface ObjectStore {
  /** The bucket's name, for answers that name it. */
  readonly bucket: string;
  /** Origin (scheme, host, port) of the addresses that browsers get: for the content security policy. */
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
  /** Writes a whole object. Small ones only: the bytes are in memory. */
  write: (key: string, body: Uint8Array, options: { type: string }) => Promise<void>;
  /** Writes an object of any size from a stream, in parts. Nothing is left of it when the stream fails. */
  writeStream: (key: string, body: Readable, options: { type: string }) => Promise<void>;
  /**
   * Copies an object inside the store if it still has the given etag.
   * @throws ObjectMissingError
   */
  copy: (
    from: { key: string; ifMatch: string },
    to: { key: string; type: string },
  ) => Promise<void>;
  /** Removes one object; nothing happens when there is none. */
  remove: (key: string) => Promise<void>;
  /**
   * Removes every object whose key begins with `prefix`, and aborts unfinished uploads under it.
   * @param prefix ends with a slash, so that it covers one owner only
   */
  removeAll: (prefix: string) => Promise<void>;
  /**
   * How many objects and unfinished uploads are under `prefix`.
   * @param prefix ends with a slash
   */
  count: (prefix: string) => Promise<number>;

  /** An address to PUT an object of exactly `size` bytes to. */
  signPut: (
    key: string,
    options: { type?: string; size: number; expiresInSeconds: number },
  ) => Promise<SignedAddress>;
  /** An address to GET an object from. */
  signGet: (
    key: string,
    options: DownloadOptions & { expiresInSeconds: number },
  ) => Promise<SignedAddress>;

  /** Begins an upload in parts. @returns its id */
  createUpload: (key: string, options: { type: string }) => Promise<string>;
  /** @throws UploadRefusedError when the upload is unknown */
  listParts: (upload: { key: string; uploadId: string }) => Promise<UploadedPart[]>;
  /** An address to PUT one part of exactly `size` bytes to. */
  signPart: (
    upload: { key: string; uploadId: string; partNumber: number },
    options: { size: number; expiresInSeconds: number },
  ) => Promise<SignedAddress>;
  /** Joins the parts. Completing again what is complete already does no harm. @throws UploadRefusedError */
  completeUpload: (
    upload: { key: string; uploadId: string },
    parts: { PartNumber: number; ETag: string }[],
  ) => Promise<void>;
  /** Drops the parts; nothing happens when the upload is unknown. */
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

/** Where the file of a form (multipart/form-data) goes while it arrives. */
export interface FormStorage {
  /** A storage engine that writes one file under `key`. The size that it reports may be 0: ask `head`. */
  formStorage: (key: string) => StorageEngine;
}
