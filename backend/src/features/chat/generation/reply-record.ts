import type { ReplyError } from '../../../contract/errors.ts';
import type {
  MessageMetadata,
  PartAuthor,
  ReplyEnding,
  ReplyPart,
  ReplyStatus,
} from '../../../contract/messages.ts';
import type { DeltaText } from '../../../contract/replies.ts';
import type { PersonaRef } from '../../../contract/reply-settings.ts';
import { isSameAuthor } from '../../../contract/reply-text.ts';
import { recordsBy } from '../../../db/records.ts';
import type { ProviderUsage } from '../../../llm/index.ts';
import type { Panel } from '../../context.ts';
import type { Payer } from '../../payer.ts';
import {
  cutParts,
  type MessageDocument,
  partsOf,
  type ReplyRecord,
  type StoredText,
  type TokenUsage,
  toReply,
} from '../messages/index.ts';

/** The charge of an attempt; `release`: nothing, as if it had never reserved. */
export interface Charge extends TokenUsage, Partial<Omit<ProviderUsage, keyof TokenUsage>> {
  attempt: number;
  release?: boolean;
}

/** A reply with all data that its generation needs. */
export interface GeneratedReply extends ReplyRecord {
  /** Code units, over all parts, of the text that the attempt continues. */
  keptLength: number;
  lostAttempts: number;
  /** The tokens sent by the attempt that wrote the text, since its first checkpoint after sending. */
  sent?: { promptTokens: number } | undefined;
  heartbeatAt: Date;
}

export interface ReplyEnd {
  status: Exclude<ReplyStatus, 'queued' | 'streaming'>;
  parts: ReplyPart[];
  charge: Charge;
  error?: ReplyError | undefined;
  /** Only of a complete one. */
  ending?: ReplyEnding | undefined;
  /** The metadata so far; other keys stay. */
  metadata?: Partial<MessageMetadata> | undefined;
  /** The persona as it was used; absent: the stored one. */
  persona?: PersonaRef | null | undefined;
}

/** A charge that is not in the usage ledger yet. */
export interface OpenCharge extends Charge {
  replyId: string;
  conversationId: string;
  payer: Payer;
}

/** The published fields of a queued reply. */
export type QueuedReply = Pick<
  GeneratedReply,
  'id' | 'ownerId' | 'conversationId' | 'jobId' | 'attempt' | 'keptLength'
>;

/** A reply with its conversation: messages are sharded by that. */
export type ReplyKey = Pick<GeneratedReply, 'id' | 'conversationId'>;

export interface AttemptKey extends ReplyKey {
  attempt: number;
}

/** A sign of life of an attempt, with the text since the last checkpoint that had text. */
export interface Checkpoint extends AttemptKey {
  deltas?: DeltaText[] | undefined;
  /** The tokens sent, once they are known. */
  sent?: GeneratedReply['sent'];
  now: Date;
}

function toGenerated(doc: MessageDocument): GeneratedReply {
  const sentTokens = doc.sent?.promptTokens;
  const reply = toReply(doc);
  return {
    ...reply,
    parts: partsOf(reply),
    keptLength: doc.keptLength ?? 0,
    lostAttempts: doc.lostAttempts ?? 0,
    ...(sentTokens != null && { sent: { promptTokens: sentTokens } }),
    heartbeatAt: doc.heartbeatAt ?? new Date(0),
  };
}

export const generatedIn = recordsBy(toGenerated);

/** A stored charge; earlier versions stored fewer fields. */
export type StoredCharge = { [Field in keyof Charge]?: Charge[Field] | null };

export const toCharge = (stored: StoredCharge): Charge => {
  const { attempt, promptTokens, cachedTokens, completionTokens, reasoningTokens, ...rest } =
    stored;
  return {
    attempt: attempt ?? 0,
    promptTokens: promptTokens ?? 0,
    completionTokens: completionTokens ?? 0,
    ...(cachedTokens != null && { cachedTokens }),
    ...(reasoningTokens != null && { reasoningTokens }),
    ...(rest.model && { model: rest.model }),
    ...(rest.release && { release: rest.release }),
  };
};

/** The text that the attempt continues. */
export const keptParts = (reply: StoredText & { keptLength: number }) =>
  cutParts(partsOf(reply), reply.keptLength);

/** One call of the provider: all of a reply, or the part of a panel's member or of its synthesis. */
export interface ReplyCall {
  /** Absent: the whole reply. */
  panel?: Panel;
  /** The member of the panel that answers; absent in its synthesis. */
  member?: Panel['members'][number];
}

type Written = Pick<GeneratedReply, 'settings' | 'content' | 'keptLength'> & {
  parts?: ReplyPart[];
};

const callsOf = ({ panel }: GeneratedReply['settings']): ReplyCall[] =>
  panel
    ? [
        ...panel.members.map((member) => ({ panel, member })),
        ...(panel.synthesis ? [{ panel }] : []),
      ]
    : [{}];

export const authorOfCall = ({ member }: ReplyCall): PartAuthor =>
  member ? { personaId: member.id, personaName: member.name } : {};

/** The calls that an attempt makes, beginning with the one whose part was cut. A member is finished when another part follows. */
export function callsLeft(reply: Written): ReplyCall[] {
  const calls = callsOf(reply.settings);
  const last = keptParts(reply).at(-1);
  const cut = last ? calls.findIndex((call) => isSameAuthor(authorOfCall(call), last)) : 0;
  return calls.slice(Math.max(0, cut));
}

/** The trailing parts of the call's own author, and the parts before them. A reply without a panel belongs to one author. */
export function splitAt(
  parts: readonly ReplyPart[],
  { panel, ...call }: ReplyCall,
): { earlier: ReplyPart[]; own: ReplyPart[] } {
  if (!panel) return { earlier: [], own: [...parts] };
  const author = authorOfCall(call);
  const start = parts.findLastIndex((part) => !isSameAuthor(part, author)) + 1;
  return { earlier: parts.slice(0, start), own: parts.slice(start) };
}
