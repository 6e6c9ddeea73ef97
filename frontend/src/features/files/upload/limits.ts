import { t } from 'virtual:texts/uploader';
import {
  MAX_CHAT_FILE_BYTES,
  MAX_FILES_PER_MESSAGE,
  MAX_GUEST_FILE_BYTES,
  MAX_GUEST_FILES_PER_MESSAGE,
  planById,
  type User,
} from '@stolas/backend/contract';
import { formatSize } from './file-size.ts';

/**
 * The limits of an uploader; the server checks the same limits against the stored object. Null: only the server checks.
 */
export interface UploadLimits {
  maxFiles: number | null;
  maxFileBytes: number | null;
}

type Plan = Pick<User, 'subscriptionStatus' | 'subscriptionPlan'>;

const GUEST = { maxFiles: MAX_GUEST_FILES_PER_MESSAGE, maxFileBytes: MAX_GUEST_FILE_BYTES };

/** A guest's limit. Without plans, guests have the largest one. */
export const isDemo = ({ subscriptionStatus, subscriptionPlan }: Plan): boolean =>
  subscriptionStatus === 'guest' && subscriptionPlan === null;

/** The limits of an uploader for `purpose`, for a user. */
export function limitsOf(purpose: 'chat' | 'library', plan: Plan): UploadLimits {
  if (isDemo(plan)) return GUEST;
  return purpose === 'chat' ? messageLimits(plan) : libraryLimits(plan);
}

/**
 * The limits of one message (docs/product.md, 'Files'): those of the chat and of the plan, the smaller one of each. A user without a plan may
 * have those of a workspace's plan, which only the server knows.
 */
function messageLimits({ subscriptionStatus, subscriptionPlan }: Plan): UploadLimits {
  const plan = subscriptionStatus === 'active' ? (subscriptionPlan ?? 'starter') : subscriptionPlan;
  const planBytes = plan ? planById(plan).limits.uploadBytes : MAX_CHAT_FILE_BYTES;
  return {
    maxFiles: MAX_FILES_PER_MESSAGE,
    maxFileBytes: Math.min(planBytes, MAX_CHAT_FILE_BYTES),
  };
}

/** The limits of the file library. Those of Pro are a setting of the server, which checks them before the upload. */
function libraryLimits({ subscriptionPlan }: Plan): UploadLimits {
  if (subscriptionPlan === 'pro') return { maxFiles: null, maxFileBytes: null };
  return { maxFiles: null, maxFileBytes: planById('starter').limits.uploadBytes };
}

/** Whether a file that is too large for a message may go to the file library. */
export const takesMoreInLibrary = (purpose: 'chat' | 'library', plan: Plan): boolean =>
  purpose === 'chat' && limitsOf('library', plan).maxFileBytes === null;

/** 'Up to 10 files, 10 MB each', as far as there are limits. */
export function noteOf({ maxFiles, maxFileBytes }: UploadLimits): string | null {
  const size = maxFileBytes === null ? null : formatSize(maxFileBytes);
  if (maxFiles === 1) return size && t('oneFile', { size });
  if (maxFiles === null) return size && t('anyFiles', { size });
  return size ? t('fewFilesOf', { count: maxFiles, size }) : t('fewFiles', { count: maxFiles });
}
