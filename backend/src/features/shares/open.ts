import { type Actor, requireRegistered } from '../../access/index.ts';
import { type Conversation, EXPORT_FORMAT, EXPORT_VERSION } from '../../contract/conversations.ts';
import type { MessageFile } from '../../contract/messages.ts';
import type { SharedPage } from '../../contract/shares.ts';
import { AppError, notFound, unauthenticated } from '../../errors.ts';
import { requireWorkspace } from '../workspaces/index.ts';
import { liveContent, snapshotContent } from './content.ts';
import { exportedMessages, fromQuestion } from './continued.ts';
import type { SharesFeature } from './feature.ts';
import { mayStillLink } from './makers.ts';
import { type Content, refOf } from './present.ts';
import type { ShareRecord } from './share-model.ts';

type Viewer = Actor | null;

export const gone = () => new AppError('gone', 'This link no longer works.');

/**
 * The link, when the viewer may open it. The database is asked each time, so that the end of a link counts at once in every process.
 * @throws AppError not_found; gone; unauthenticated; forbidden for guests
 */
async function requireShare(
  feature: SharesFeature,
  viewer: Viewer,
  id: string,
): Promise<ShareRecord> {
  const { shares, others, now } = feature;
  const share = await shares.find(id);
  if (!share) throw notFound('link');
  if (share.revokedAt || share.expiresAt <= now()) throw gone();
  const userIds = [...new Set([share.ownerId, share.conversationOwnerId])];
  const [mayLink, users] = await Promise.all([
    mayStillLink(feature, share),
    others.accounts.users.findAll(userIds),
  ]);
  if (!mayLink || users.length < userIds.length) throw gone();
  await requireAudience(feature, viewer, share);
  return share;
}

async function requireAudience(
  { others: { workspaces } }: SharesFeature,
  viewer: Viewer,
  { audience, workspaceId, ownerId }: ShareRecord,
): Promise<void> {
  if (audience === 'anyone') return;
  if (!viewer) throw unauthenticated();
  requireRegistered(viewer);
  if (audience === 'signedIn') return;
  if (workspaceId === null) throw notFound('link');
  const { workspace } = await requireWorkspace(workspaces, viewer, workspaceId);
  if (!workspace.allowLinks) throw gone();
  // Who has left the workspace shares nothing in it any more.
  if (!(await workspaces.memberships.find({ workspaceId, userId: ownerId }))) throw gone();
}

interface Opening {
  id: string;
  /** The page that reads a live link again and again. */
  viewer?: string | undefined;
  /** The revision that the page shows. */
  known?: string | undefined;
}

/**
 * What the page of a link shows; null while that is the known revision. Without a known one it counts as an opening.
 * @throws AppError as `requireShare`
 */
export async function openShare(
  feature: SharesFeature,
  actor: Viewer,
  { id, viewer, known }: Opening,
): Promise<SharedPage | null> {
  const share = await requireShare(feature, actor, id);
  if (known !== undefined && share.revision === known) return null;
  const mayRead =
    share.kind !== 'live' || viewer === undefined || (await feature.viewers.enter(id, viewer));
  const { shown, revision } = await contentOf(feature, share);
  if (known === undefined) feature.openings.count(id);
  if (mayRead && known === revision) return null;
  return {
    ...shown,
    kind: share.kind,
    revision,
    createdAt: share.createdAt.toISOString(),
    ...(!mayRead && { isFull: true }),
  };
}

async function contentOf(
  feature: SharesFeature,
  share: ShareRecord,
): Promise<Omit<Content, 'quoting'>> {
  const read = share.kind === 'live' ? liveContent : snapshotContent;
  const content = await feature.reading(() => read(feature, share), { key: share.ownerId });
  if (!content) throw gone();
  return content;
}

/**
 * A file that the link shows.
 * @throws AppError as `requireShare`; not_found for another file
 */
export async function openSharedFile(
  feature: SharesFeature,
  actor: Viewer,
  { id, ref, download }: { id: string; ref: string; download: boolean },
) {
  const share = await requireShare(feature, actor, id);
  const { fileIds } = await contentOf(feature, share);
  const fileId = fileIds.find((one) => refOf(one) === ref);
  if (fileId === undefined) throw notFound('file');
  return feature.others.files.openContent({ id: fileId, ownerId: share.ownerId }, { download });
}

/**
 * Copies what the link shows into a new conversation of the actor, with the files that it includes; the same `clientConversationId` returns
 * the same conversation.
 * @throws AppError as `requireShare`; version_conflict with `revision` when the link shows another one; those of an import and of uploads
 */
export async function continueShare(
  feature: SharesFeature,
  actor: Actor,
  {
    id,
    revision,
    clientConversationId,
  }: { id: string; revision: string; clientConversationId: string },
): Promise<Conversation> {
  requireRegistered(actor);
  const share = await requireShare(feature, actor, id);
  const content = await contentOf(feature, share);
  if (content.revision !== revision) throw changed(content.revision);
  const messages = fromQuestion(content.shown.messages);
  const text = JSON.stringify({
    format: EXPORT_FORMAT,
    version: EXPORT_VERSION,
    title: content.shown.title ?? 'A shared reply',
    messages: exportedMessages(messages),
  });
  const body = JSON.stringify({ format: 'json', text, clientConversationId });
  const copies = await copyFiles(feature, actor, { ownerId: share.ownerId, ...content });
  const files = messages.map(({ files: shown = [] }) =>
    shown.map(({ ref = '' }) => copies.get(ref)),
  );
  return feature.others.chat.importConversation(actor, Buffer.from(body), files);
}

/** Copies of the files that a link shows, by their `ref`. Before the conversation: a file too many refuses all of it. */
async function copyFiles(
  { others: { files } }: SharesFeature,
  actor: Actor,
  { ownerId, fileIds }: Pick<Content, 'fileIds'> & { ownerId: string },
): Promise<Map<string, MessageFile>> {
  const copies = new Map<string, MessageFile>();
  for (const id of fileIds) {
    const copy = await files.copyToLibrary(actor, { id, ownerId });
    if (copy) copies.set(refOf(id), copy);
  }
  return copies;
}

/** The conversation shows something else than the page. */
export const changed = (revision: string) =>
  new AppError('version_conflict', 'The conversation has changed meanwhile. Look at it again.', {
    details: { revision },
  });
