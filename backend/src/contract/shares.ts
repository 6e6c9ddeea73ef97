import * as z from 'zod';
import { Id } from './id.ts';
import { SHARE_AUDIENCES, SHARE_KINDS, type ShareAudience, type ShareKind } from './limits.ts';
import type { ReplyPartType } from './messages.ts';

/** The id of a link: 128 random bits in base64url. */
export const ShareId = z.string().regex(/^[\w-]{22}$/);

const Include = z
  .strictObject({
    files: z.boolean().default(false),
    names: z.boolean().default(false),
    reasoning: z.boolean().default(false),
  })
  .prefault({});

/** What a link shows besides the texts: files and their names, names of people and personas, the model's reasoning. */
export type ShareInclude = z.output<typeof Include>;

/** The visible branch of a conversation, or one reply. */
const target = { conversationId: Id.optional(), replyId: Id.optional(), include: Include };
const isOneTarget = (body: { conversationId?: string | undefined; replyId?: string | undefined }) =>
  (body.conversationId === undefined) !== (body.replyId === undefined);
const ONE_TARGET = { message: 'Name a conversation or a reply.', path: ['conversationId'] };

/** POST /api/shares/preview: what a link would show; answers `SharePreview`. */
export const SharePreviewBody = z.strictObject(target).refine(isOneTarget, ONE_TARGET);
export type SharePreviewBody = z.input<typeof SharePreviewBody>;

/**
 * POST /api/shares; answers 201 `CreatedShare`. By default a snapshot for anyone, for `SHARE_DAYS`. `workspaceId` belongs to the audience
 * `workspace`. With `revision`, of a preview, it answers 409 `version_conflict` when the conversation shows something else meanwhile.
 */
export const CreateShareBody = z
  .strictObject({
    ...target,
    kind: z.enum(SHARE_KINDS).default('snapshot'),
    audience: z.enum(SHARE_AUDIENCES).default('anyone'),
    workspaceId: Id.optional(),
    expiresAt: z.iso.datetime().optional(),
    revision: z.string().max(64).optional(),
  })
  .refine(isOneTarget, ONE_TARGET)
  .refine(
    ({ audience, workspaceId }) => (audience === 'workspace') === (workspaceId !== undefined),
    { message: 'Name the workspace whose members can open the link.', path: ['workspaceId'] },
  );
export type CreateShareBody = z.input<typeof CreateShareBody>;

export interface CreatedShare {
  id: string;
  url: string;
}

/** One of GET /api/shares: the links of the user that work, newest first. */
export interface Share extends CreatedShare {
  /** Of the conversation, when the link was made. */
  title: string;
  of: 'conversation' | 'reply';
  kind: ShareKind;
  audience: ShareAudience;
  workspaceId?: string;
  include: ShareInclude;
  /** ISO 8601. */
  createdAt: string;
  expiresAt: string;
  openings: number;
  /** ISO 8601; null before the first opening. */
  lastOpenedAt: string | null;
}

/** One of GET /api/conversations/{id}/shares, for its owner and managers: the links to it that work, newest first. */
export interface ConversationShare extends Share {
  /** Who made it. */
  ownerName: string;
}

/** One of GET /api/workspaces/{id}/shares, for its admins: the links for its members. */
export type WorkspaceShare = ConversationShare;

/** PUT /api/workspaces/{id}/links, for its admins. While they are not allowed, none for its members works. */
export const AllowLinksBody = z.strictObject({ allowed: z.boolean() });
export type AllowLinksBody = z.infer<typeof AllowLinksBody>;

/** A section of a shared message. */
export interface SharedPart {
  type: ReplyPartType;
  text: string;
  /** In a panel: the number of the member that wrote it, from 1; the synthesis has none. */
  member?: number;
  /** The member's name, when names are included. */
  name?: string;
}

/** A file of a shared message, when files are included. */
export interface SharedFile {
  name: string;
  /** It is at /api/shares/{id}/files/{ref}; absent when there is only its name. */
  ref?: string;
  type?: string;
  /** Bytes. */
  size?: number;
}

/** The place of a citation, when files are included. In the text `[n]` stands for it. */
export interface SharedSource {
  n: number;
  fileName: string;
  page: number;
  pageLabel?: string;
}

export interface SharedMessage {
  role: 'user' | 'assistant';
  /** The name of its author or persona, when names are included. */
  name?: string;
  parts: SharedPart[];
  files?: SharedFile[];
  sources?: SharedSource[];
  /** Of a reply that is being written, or that ended early. */
  state?: 'running' | 'incomplete';
}

/** What a link shows. */
export interface SharedContent {
  /** Null for a single reply. */
  title: string | null;
  messages: SharedMessage[];
  /** Earlier messages are left out: the conversation is longer than a link can show. */
  isCut: boolean;
}

/** Answer of POST /api/shares/preview. */
export interface SharePreview extends SharedContent {
  revision: string;
  /** How many of the replies quote files. */
  quoting: number;
}

/**
 * GET /api/shares/{id}, without a session: what the page of a link shows; 410 `gone` once the link has ended. With `If-None-Match` of its
 * ETag it answers 304 while nothing has changed.
 */
export interface SharedPage extends SharedContent {
  kind: ShareKind;
  revision: string;
  /** ISO 8601: when the link was made. */
  createdAt: string;
  /** Too many others read it live: the page reads no changes. */
  isFull?: true;
}

/** GET /api/shares/{id}: `viewer` is a UUID of the page that reads a live link again and again. */
export const SharedPageQuery = z.object({ viewer: z.uuid().optional() });

/** POST /api/shares/{id}/continue: copies what the link shows; 409 `version_conflict` when it shows another revision. Answers a `Conversation`. */
export const ContinueShareBody = z.strictObject({
  revision: z.string().max(64),
  clientConversationId: z.uuid(),
});
export type ContinueShareBody = z.infer<typeof ContinueShareBody>;
