import type { Actor } from '../../../access/index.ts';
import type { Config } from '../../../config.ts';
import { MAX_CHAT_FILE_BYTES, MAX_FILES_PER_MESSAGE } from '../../../contract/limits.ts';
import { AppError } from '../../../errors.ts';
import { accountOf, type BillingService, type Entitlements } from '../../billing/index.ts';

/** The purpose of an upload: a message, or the file library. */
export type Purpose = 'chat' | 'library';

/** The limits of a user's uploads. */
export interface UploadLimits {
  /** Maximum size of a file. */
  fileBytes: number;
  /** Maximum size of all stored files. */
  storageBytes: number;
  /** The error for a file that is larger than `fileBytes`, with the limit and how to raise it. */
  tooLarge: (file: { name: string; size?: number | undefined }) => AppError;
}

/** @throws AppError subscription_required for a user without a plan */
export type LimitsFor = (actor: Actor, purpose: Purpose) => Promise<UploadLimits>;

const MB = 1024 * 1024;
const GB = 1024 * MB;

/** Maximum number of files per message. */
export const filesPerMessage = async (
  billing: Pick<BillingService, 'entitlementsOf'>,
  { userId, isGuest }: Pick<Actor, 'userId' | 'isGuest'>,
): Promise<number> => {
  // Only guests have another limit, and guests cost no query.
  if (!isGuest) return MAX_FILES_PER_MESSAGE;
  return (await billing.entitlementsOf(userId, accountOf({ isGuest }))).filesPerMessage;
};

/** What is asked about plans and workspaces. */
export interface Asked {
  billing: Pick<BillingService, 'entitlementsOf'>;
  workspaces: {
    /** The workspaces that pay for a user, with their owners. */
    poolsOf: (userId: string) => Promise<readonly { ownerId: string }[]>;
  };
}

/** Computes an actor's limits from the plan; `PRO_UPLOAD_MB` sets the maximum size of a file with Pro. */
export function createPlanLimits({
  others,
  config,
}: {
  others: Asked;
  config: Pick<Config, 'PRO_UPLOAD_MB'>;
}): LimitsFor {
  const proBytes = config.PRO_UPLOAD_MB * MB;
  return async (actor, purpose) => {
    const { entitlements, isOwn } = await planFor(others, actor, purpose);
    const plan = isPro(entitlements) ? { ...entitlements, uploadBytes: proBytes } : entitlements;
    if (plan.uploadBytes === 0) throw planRequired();
    const fileBytes =
      purpose === 'chat' ? Math.min(plan.uploadBytes, MAX_CHAT_FILE_BYTES) : plan.uploadBytes;
    const advice = isOwn
      ? howToGetMore(plan, { fileBytes, proBytes })
      : whatWorkspaceAllows(plan, fileBytes);
    return {
      fileBytes,
      storageBytes: plan.storageBytes,
      tooLarge: ({ name, size }) =>
        new AppError(
          'too_large',
          `${name} exceeds maximum allowed size of ${formatBytes(fileBytes)}. ${advice}`,
          { details: { limit: fileBytes, size, ...(isOwn && !isPro(plan) && { upgrade: true }) } },
        ),
    };
  };
}

/** The own plan; for messages of a user without one, that of a workspace which pays for them. */
async function planFor(
  { billing, workspaces }: Asked,
  actor: Actor,
  purpose: Purpose,
): Promise<{ entitlements: Entitlements; isOwn: boolean }> {
  const entitlements = await billing.entitlementsOf(actor.userId, accountOf(actor));
  const own = { entitlements, isOwn: true };
  if (entitlements.uploadBytes > 0 || purpose !== 'chat' || entitlements.kind !== 'user')
    return own;
  for (const { ownerId } of await workspaces.poolsOf(actor.userId)) {
    const paying = await billing.entitlementsOf(ownerId);
    if (paying.uploadBytes > 0) return { entitlements: paying, isOwn: false };
  }
  return own;
}

const isPro = ({ kind, subscriptionPlan }: Entitlements) =>
  kind === 'user' && subscriptionPlan === 'pro';

function howToGetMore(
  plan: Entitlements,
  { fileBytes, proBytes }: { fileBytes: number; proBytes: number },
): string {
  if (plan.kind === 'guest') return 'Choose a plan to upload larger files.';
  const [own, pro] = [formatBytes(plan.uploadBytes), formatBytes(proBytes)];
  if (!isPro(plan))
    return `Your Starter plan allows ${own} per file; upgrade to Pro for files of up to ${pro}.`;
  if (fileBytes < proBytes)
    return `Upload it to your file library, which takes files of up to ${pro}, and attach it from there.`;
  return `Your Pro plan allows ${own} per file. Split the file into smaller ones.`;
}

/** A member without a plan has no file library, and does not change the plan of the workspace. */
function whatWorkspaceAllows({ uploadBytes }: Entitlements, fileBytes: number): string {
  const allowed = formatBytes(fileBytes);
  const what =
    fileBytes < uploadBytes
      ? `A message takes files of up to ${allowed}.`
      : `The plan of your workspace allows ${allowed} per file.`;
  return `${what} Split the file into smaller ones.`;
}

const planRequired = () =>
  new AppError('subscription_required', 'Choose a plan to upload files.', {
    details: { upgrade: true },
  });

/** The error when stored files and unattached uploads leave no room for another file. */
export const storageFull = ({
  used,
  limit,
  unfinished = 0,
}: {
  used: number;
  limit: number;
  unfinished?: number;
}) => {
  const [what, advice] =
    unfinished > 0
      ? ['Your files and unfinished uploads use', ', or finish your uploads, then try again.']
      : ['Your files use', ', then try again.'];
  return new AppError(
    'storage_full',
    `${what} ${formatBytes(used)} of ${formatBytes(limit)}. Delete files that you no longer need${advice}`,
    { details: { used, limit } },
  );
};

/** A number of bytes for display: at most one decimal, rounded down. */
export function formatBytes(bytes: number): string {
  const inUnit = (size: number, unit: string) => `${Math.floor((bytes / size) * 10) / 10} ${unit}`;
  if (bytes >= GB) return inUnit(GB, 'GB');
  return bytes >= MB ? inUnit(MB, 'MB') : inUnit(1024, 'KB');
}
