import type { ReplyError } from '../../../contract/errors.ts';
import type {
  MessageMetadata,
  PartAuthor,
  ReplyEnding,
  ReplyPart,
  ReplyStatus,
} from '../../../contract/messages.ts';
import type { PersonaRef } from '../../../contract/reply-settings.ts';
import { isSameAuthor } from '../../../contract/reply-text.ts';
import type { ProviderUsage } from '../../../llm/index.ts';
import type { Panel } from '../../context.ts';
import {
  type MessageDocument,
  type ReplyRecord,
  type TokenUsage,
  toReply,
} from '../messages/index.ts';
import { cutParts, partsOf, type StoredText } from './parts.ts';

/** What the coming or running attempt may use, in tokens. */
export interface Reserved {
  promptTokens: number;
  replyTokens: number;
}

/** What an attempt is to be charged; `release`: nothing, as if it had never been asked for. */
export interface Charge extends TokenUsage, Partial<Omit<ProviderUsage, keyof TokenUsage>> {
  attempt: number;
  release?: boolean;
}

/** A reply with everything that generating it needs. */
export interface GeneratedReply extends ReplyRecord {
  /** Code units, over all parts, of what the attempt continues. */
  keptLength: number;
  /** Attempts above the one that wrote the text: they took it over and were lost themselves. */
  lostAttempts: number;
  /** Absent when the next attempt has no reservation yet. */
  reserved?: Reserved;
  /** What the attempt that wrote the text has sent, since its first checkpoint after that. */
  sent?: { promptTokens: number } | undefined;
  heartbeatAt: Date;
  sweptAt?: Date;
}

export interface ReplyEnd {
  status: Exclude<ReplyStatus, 'queued' | 'streaming'>;
  parts: ReplyPart[];
  charge: Charge;
  error?: ReplyError | undefined;
  /** Only of a complete one. */
  ending?: ReplyEnding | undefined;
  /** What is known by now of its metadata; other keys stay. */
  metadata?: Partial<MessageMetadata> | undefined;
  /** The persona as it was used; left out, the one that is stored. */
  persona?: PersonaRef | null | undefined;
}

/** A charge that is not in the usage ledger yet. */
export interface OpenCharge extends Charge {
  replyId: string;
  ownerId: string;
}

/** What is published of a reply that waits in the queue. */
export type QueuedReply = Pick<
  GeneratedReply,
  'id' | 'ownerId' | 'conversationId' | 'jobId' | 'attempt' | 'keptLength'
>;

export interface AttemptKey {
  id: string;
  attempt: number;
}

function toGenerated(doc: MessageDocument): GeneratedReply {
  const { promptTokens, replyTokens } = doc.reserved ?? {};
  const hasReserved = promptTokens != null && replyTokens != null;
  const sentTokens = doc.sent?.promptTokens;
  return {
    ...toReply(doc),
    parts: partsOf({ content: doc.content, parts: doc.parts as StoredText['parts'] }),
    keptLength: doc.keptLength ?? 0,
    lostAttempts: doc.lostAttempts ?? 0,
    ...(hasReserved && { reserved: { promptTokens, replyTokens } }),
    ...(sentTokens != null && { sent: { promptTokens: sentTokens } }),
    heartbeatAt: doc.heartbeatAt ?? new Date(0),
    ...(doc.sweptAt && { sweptAt: doc.sweptAt }),
  };
}

export const toGeneratedOrNull = (doc: MessageDocument | null): GeneratedReply | null =>
  doc ? toGenerated(doc) : null;

/** A charge as it is stored; former versions stored fewer fields. */
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

/** What the attempt continues. */
export const keptParts = ({ parts, content, keptLength }: StoredText & { keptLength: number }) =>
  cutParts(partsOf({ content, parts }), keptLength);

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

/**
 * The calls that an attempt makes: from the one whose part was cut on. A member whose part is followed by another one has
 * finished.
 */
export function callsLeft(reply: Written): ReplyCall[] {
  const calls = callsOf(reply.settings);
  const last = keptParts(reply).at(-1);
  const cut = last ? calls.findIndex((call) => isSameAuthor(authorOfCall(call), last)) : 0;
  return calls.slice(Math.max(0, cut));
}

/** The parts of the call's own author at the end, and those before them. A reply that is no panel is its author's whole. */
export function splitAt(
  parts: readonly ReplyPart[],
  { panel, ...call }: ReplyCall,
): { earlier: ReplyPart[]; own: ReplyPart[] } {
  if (!panel) return { earlier: [], own: [...parts] };
  const author = authorOfCall(call);
  const start = parts.findLastIndex((part) => !isSameAuthor(part, author)) + 1;
  return { earlier: parts.slice(0, start), own: parts.slice(start) };
}
