import type { Message, ReplyPart } from '@stolas/backend/contract';
import { keep } from '../../../lib/keep.ts';
import { viewOf } from '../../../realtime/index.ts';
import {
  artifactKind,
  type Artifact as Kept,
  mayHoldArtifact,
} from '../../../ui/artifact/artifact-kind.ts';
import { kindName, plainTitle, titleIn } from '../../../ui/artifact/artifact-title.ts';
import { type Fence, readFence } from '../../../ui/markdown/fence.ts';
import type { Code } from '../../../ui/markdown/highlight.ts';
import { type NestedFence, nestedFences } from '../../../ui/markdown/nested-fences.ts';
import { splitBlocks } from '../../../ui/markdown/split-blocks.ts';

/** The written part of a reply. */
interface WrittenReply {
  id: string;
  parts: readonly ReplyPart[];
}

/** A page, drawing or diagram in a code block of a reply. */
export interface Artifact extends Kept {
  messageId: string;
  /** Its place among the artifacts of the reply, from 0. */
  index: number;
  /** The text before it in the reply. */
  heading?: string;
  /** Its code block has ended. */
  isClosed: boolean;
  /** Artifacts of one conversation with the same key are versions of one another. */
  key: string;
}

/** Parts do not change. Each artifact on the screen looks for itself among those of its reply. */
const known = new WeakMap<readonly ReplyPart[], Artifact[]>();

/** The artifacts of a reply, in the order of its text. */
export function artifactsOf(reply: WrittenReply): Artifact[] {
  const found = known.get(reply.parts) ?? findArtifacts(reply);
  known.set(reply.parts, found);
  return found;
}

function findArtifacts({ id, parts }: WrittenReply): Artifact[] {
  const found: Artifact[] = [];
  for (const { type, text } of parts) {
    if (type !== 'text') continue;
    let heading: string | undefined;
    for (const { before, fence } of splitBlocks(undefined, text).blocks.flatMap(sectionsOf)) {
      heading = headingIn(before) ?? heading;
      const { code = '', language = '', closed = false } = fence ?? {};
      const kind = artifactKind(code, language);
      if (!kind) continue;
      const ordinal = found.filter((other) => other.kind === kind).length;
      const own = titleIn(code, kind);
      found.push({
        messageId: id,
        index: found.length,
        kind,
        title: own ?? heading ?? kindName(kind),
        ...(heading !== undefined && { heading }),
        code,
        isClosed: closed,
        key: own ? `${kind} ${own.toLowerCase()}` : `${kind} #${ordinal}`,
      });
      heading = undefined;
    }
  }
  return found;
}

interface Section {
  before: string;
  fence?: Fence;
}

/** The fences of blocks that were parsed before: of a reply that grows only the last block is parsed again. */
const kept = new Map<string, NestedFence[]>();
const MAX_KEPT = 100;

function keptFences(block: string): NestedFence[] {
  const fences = kept.get(block) ?? nestedFences(block);
  keep(kept, [block, fences], MAX_KEPT);
  return fences;
}

/** The code fences of a block, each with the text before it; last, the text after them. */
function sectionsOf(block: string): Section[] {
  const whole = readFence(block);
  if (whole) return [{ before: '', fence: whole }];
  const sections: Section[] = [];
  let from = 0;
  for (const fence of mayHoldArtifact(block) ? keptFences(block) : []) {
    sections.push({ before: block.slice(from, fence.start), fence });
    from = fence.end;
  }
  return [...sections, { before: block.slice(from) }];
}

/** The artifact of a code block on the screen, where a reply that is written is shown a little later. */
export function artifactWith(reply: WrittenReply, block: Code): Artifact | undefined {
  const { id } = reply;
  const { code, language, growing } = block;
  const kind = artifactKind(code, language);
  const artifacts = artifactsOf({ id, parts: viewOf(id)?.parts ?? reply.parts });
  if (!growing) return artifacts.find((it) => it.kind === kind && it.code === code);
  // Others may begin with the same code, which is empty at first; those that are complete are earlier ones.
  const begun = artifacts.filter((it) => it.kind === kind && it.code.startsWith(code));
  return begun.findLast(({ isClosed }) => !isClosed) ?? begun.at(-1);
}

/** The versions of an artifact on the path that is shown, oldest first. */
export const versionsOf = ({ key }: Artifact, messages: readonly Message[]): Artifact[] =>
  messages.flatMap((message) =>
    message.role === 'assistant' ? artifactsOf(message).filter((other) => other.key === key) : [],
  );

/** The last heading of a text; a line that is entirely bold counts as a heading. */
function headingIn(text: string): string | undefined {
  const line = text
    .split('\n')
    .findLast((it) => /^ {0,3}#{1,6}[ \t]/.test(it) || /^\*\*[^*]+\*\*:?$/.test(it));
  return line === undefined ? undefined : plainTitle(line.replace(/[#*`_]/g, '').replace(/:$/, ''));
}
