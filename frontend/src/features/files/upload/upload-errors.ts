import { t } from 'virtual:texts/uploader';
import { ApiError, TimeoutError, userMessageOf } from '../../../lib/api.ts';

/** The browser cannot reach the store although our server answers. */
export class BlockedError extends Error {
  override readonly name = 'BlockedError';
  constructor() {
    super(t('blocked'));
  }
}

/** The store no longer knows the upload that was to be continued. */
export class LostUploadError extends Error {
  override readonly name = 'LostUploadError';
  constructor() {
    super(t('uploadExpired'));
  }
}

/** A call of our server failed: `step` is what docs/product.md, 'Error messages' calls it. */
export class UploadStepError extends Error {
  override readonly name = 'UploadStepError';
  readonly step: string;

  /** The message is the server's sentence, where it has one, else the step. */
  constructor(step: string, cause: unknown) {
    const isUnauthorized = cause instanceof ApiError && cause.status === 401;
    super(isUnauthorized ? t('unauthorized') : sentenceOf(cause, step), { cause });
    this.step = step;
  }
}

const sentenceOf = (cause: unknown, step: string): string =>
  cause instanceof ApiError || cause instanceof TimeoutError ? userMessageOf(cause, step) : step;
