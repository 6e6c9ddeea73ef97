import type * as z from 'zod';
import { type Actor, requireRegistered } from '../../access/index.ts';
import { MAX_SHARE_DAYS, MAX_SHARES, SHARE_DAYS } from '../../contract/limits.ts';
import type {
  ConversationShare,
  CreatedShare,
  CreateShareBody,
  Share,
  SharePreview,
  SharePreviewBody,
} from '../../contract/shares.ts';
import { AppError, invalidField, notFound } from '../../errors.ts';
import { nameOf, requireOpen } from '../workspaces/index.ts';
import { readContent, type Shown, storedOf } from './content.ts';
import type { SharesFeature } from './feature.ts';
import { mayStillLink } from './makers.ts';
import { changed } from './open.ts';
import type { Content } from './present.ts';
import type { ShareRecord } from './share-model.ts';

const DAY_MS = 24 * 3_600_000;

type Target = z.output<typeof SharePreviewBody>;

/**
 * What a link would show to others.
 * @throws AppError not_found; forbidden for guests; invalid_field for a temporary conversation
 */
export async function previewShare(
  feature: SharesFeature,
  actor: Actor,
  target: Target,
): Promise<SharePreview> {
  const { content } = await readTarget(feature, actor, target);
  const { shown, revision, quoting } = content;
  return { ...shown, revision, quoting };
}

/**
 * Makes a link, for the owner and the managers of a conversation. It is its maker's.
 * @throws AppError as `previewShare`; version_conflict; shares_full; those of a workspace
 */
export async function createShare(
  feature: SharesFeature,
  actor: Actor,
  { kind, audience, workspaceId, expiresAt, revision, ...target }: z.output<typeof CreateShareBody>,
): Promise<CreatedShare> {
  const { shares, now } = feature;
  const end = endOf(expiresAt, now());
  const { content, shown, title } = await readTarget(feature, actor, target);
  if (revision !== undefined && content.revision !== revision) throw changed(content.revision);
  if (workspaceId !== undefined) await requireLinks(feature, actor, workspaceId);
  if ((await shares.countOf(actor.userId, now())) >= MAX_SHARES) throw sharesFull();
  const id = feature.newShareId();
  const made = { ...shown, id, ownerId: actor.userId };
  await shares.insert({
    ...made,
    title,
    kind,
    audience,
    workspaceId: workspaceId ?? null,
    expiresAt: end,
    createdAt: now(),
    stored: kind === 'snapshot' ? await storedOf(content) : undefined,
  });
  await endIfGone(feature, made);
  return { id, url: urlOf(feature, id) };
}

/** @throws AppError not_found, workspace_closed; forbidden for viewers, and when an admin allows no links */
async function requireLinks(
  { others: { workspaces } }: SharesFeature,
  actor: Actor,
  workspaceId: string,
): Promise<void> {
  const { workspace } = await requireOpen(workspaces, actor, workspaceId, 'member');
  if (!workspace.allowLinks)
    throw new AppError('forbidden', 'The admins of this workspace allow no public links.');
}

/** The conversation was deleted, or the role was lost, meanwhile: links were ended before this one was stored. */
async function endIfGone(
  feature: SharesFeature,
  made: { id: string; ownerId: string } & Shown,
): Promise<void> {
  if (await mayStillLink(feature, made)) return;
  await feature.shares.end(made, feature.now());
  throw notFound('conversation');
}

async function readTarget(
  feature: SharesFeature,
  actor: Actor,
  { conversationId, replyId, include }: Target,
): Promise<{ content: Content; shown: Shown; title: string }> {
  requireRegistered(actor);
  const { chat } = feature.others;
  const { id, ownerId, title, temporary } =
    replyId === undefined
      ? await chat.openConversation(actor, { id: conversationId ?? '', action: 'manage' })
      : (await chat.openReply(actor, { id: replyId, action: 'manage' })).conversation;
  if (temporary) throw notShareable('A temporary conversation cannot be shared.');
  const shown = {
    conversationOwnerId: ownerId,
    conversationId: id,
    replyId: replyId ?? null,
    include,
  };
  const content = await feature.reading(() => readContent(feature, shown), { key: actor.userId });
  if (!content) throw notFound('conversation');
  if (content.shown.messages.length === 0)
    throw notShareable('There is nothing to share in this conversation yet.');
  return { content, shown, title };
}

function endOf(expiresAt: string | undefined, now: Date): Date {
  const days = (count: number) => new Date(now.getTime() + count * DAY_MS);
  const end = expiresAt === undefined ? days(SHARE_DAYS) : new Date(expiresAt);
  if (end > now && end <= days(MAX_SHARE_DAYS)) return end;
  throw invalidField('expiresAt', 'A link can work for up to a year.');
}

/** The actor's links that work, newest first. */
export async function listShares(
  feature: SharesFeature,
  { userId }: Pick<Actor, 'userId'>,
): Promise<Share[]> {
  const found = await feature.shares.ofOwner(userId, feature.now());
  return found.map((share) => presentShare(feature, share));
}

/**
 * The links to a conversation that work, newest first, for its owner and managers.
 * @throws AppError not_found, forbidden
 */
export async function listSharesOf(
  feature: SharesFeature,
  actor: Pick<Actor, 'userId'>,
  conversationId: string,
): Promise<ConversationShare[]> {
  const { shares, others, now } = feature;
  await others.chat.openConversation(actor, { id: conversationId, action: 'manage' });
  return withMakers(feature, await shares.ofConversation(conversationId, now()));
}

/**
 * Ends a link of the actor, or to a conversation that the actor may manage; a repeated call does no harm.
 * @throws AppError not_found
 */
export async function revokeShare(
  feature: SharesFeature,
  actor: Pick<Actor, 'userId'>,
  id: string,
): Promise<void> {
  const share = await feature.shares.find(id);
  const mayEnd =
    share && (share.ownerId === actor.userId || (await manages(feature, actor, share)));
  if (!mayEnd) throw notFound('link');
  await feature.shares.end(share, feature.now());
}

const manages = (feature: SharesFeature, { userId }: Pick<Actor, 'userId'>, share: ShareRecord) =>
  mayStillLink(feature, { ...share, ownerId: userId });

export async function revokeAll(
  { shares, now }: SharesFeature,
  { userId }: Pick<Actor, 'userId'>,
): Promise<void> {
  await shares.endAllOf(userId, now());
}

export const presentShare = (
  feature: Pick<SharesFeature, 'baseUrl'>,
  share: ShareRecord,
): Share => ({
  id: share.id,
  url: urlOf(feature, share.id),
  title: share.title,
  of: share.replyId ? 'reply' : 'conversation',
  kind: share.kind,
  audience: share.audience,
  ...(share.workspaceId && { workspaceId: share.workspaceId }),
  include: share.include,
  createdAt: share.createdAt.toISOString(),
  expiresAt: share.expiresAt.toISOString(),
  openings: share.openings,
  lastOpenedAt: share.lastOpenedAt?.toISOString() ?? null,
});

/** Links with the names of those who made them. */
export async function withMakers(
  feature: SharesFeature,
  found: readonly ShareRecord[],
): Promise<ConversationShare[]> {
  const users = await feature.others.accounts.users.findAll(found.map(({ ownerId }) => ownerId));
  return found.map((share) => ({
    ...presentShare(feature, share),
    ownerName: nameOf(users.find(({ id }) => id === share.ownerId)),
  }));
}

const urlOf = ({ baseUrl }: Pick<SharesFeature, 'baseUrl'>, id: string): string =>
  `${baseUrl}/s/${id}`;

const notShareable = (sentence: string) => invalidField('conversationId', sentence);

const sharesFull = () =>
  new AppError('shares_full', `You have ${MAX_SHARES} links that work. Revoke one first.`);
