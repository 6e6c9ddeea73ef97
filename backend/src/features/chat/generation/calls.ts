import type { PartAuthor, ReplyPart } from '../../../contract/messages.ts';
import { isSameAuthor } from '../../../contract/part-text.ts';
import type { Panel } from '../../context.ts';
import { type GeneratedReply, keptParts } from './reply-record.ts';

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
