import type { Message, ReplyPart } from '@stolas/backend/contract';
import { viewOf } from '../../../realtime/index.ts';
import { artifactKind, type Artifact as Kept } from '../../../ui/artifact/artifact-kind.ts';
import { kindName, plainTitle, titleIn } from '../../../ui/artifact/artifact-title.ts';
import { readFence } from '../../../ui/markdown/fence.ts';
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

/** The artifacts of a reply, in the order of its text. */
export function artifactsOf({ id, parts }: WrittenReply): Artifact[] {
  const found: Artifact[] = [];
  for (const { type, text } of parts) {
    if (type !== 'text') continue;
    let heading: string | undefined;
    for (const block of splitBlocks(undefined, text).blocks) {
      const fence = readFence(block);
      if (!fence) heading = headingIn(block) ?? heading;
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

/** The artifact of a reply with this code, also while both are written. */
export function artifactWith(reply: WrittenReply, code: string): Artifact | undefined {
  const { id } = reply;
  const artifacts = artifactsOf({ id, parts: viewOf(id)?.parts ?? reply.parts });
  return (
    artifacts.find((artifact) => artifact.code === code) ??
    artifacts.find((artifact) => artifact.code.startsWith(code))
  );
}

/** The versions of an artifact on the path that is shown, oldest first. */
export const versionsOf = ({ key }: Artifact, messages: readonly Message[]): Artifact[] =>
  messages.flatMap((message) =>
    message.role === 'assistant' ? artifactsOf(message).filter((other) => other.key === key) : [],
  );

/** The last heading of a block; a line that is entirely bold counts as a heading. */
function headingIn(block: string): string | undefined {
  const line = block
    .split('\n')
    .findLast((it) => /^ {0,3}#{1,6}[ \t]/.test(it) || /^\*\*[^*]+\*\*:?$/.test(it));
  return line === undefined ? undefined : plainTitle(line.replace(/[#*`_]/g, '').replace(/:$/, ''));
}
