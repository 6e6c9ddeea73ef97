import { t } from 'virtual:texts/artifacts';
import type { Message, Reply } from '@stolas/backend/contract';
import { readFence } from '../../../ui/markdown/fence.ts';
import { splitBlocks } from '../../../ui/markdown/split-blocks.ts';

export type ArtifactKind = 'html' | 'svg' | 'mermaid';

/** A page, drawing or diagram in a code block of a reply. */
export interface Artifact {
  messageId: string;
  /** Its place among the artifacts of the reply, from 0. */
  index: number;
  kind: ArtifactKind;
  title: string;
  code: string;
  /** Artifacts of one conversation with the same key are versions of one another. */
  key: string;
}

/** What a code block is opened as; undefined for code that is only read. */
export function artifactKind(code: string, language: string): ArtifactKind | undefined {
  const name = language.toLowerCase();
  if (name === 'mermaid') return 'mermaid';
  if (name === 'svg' || (name === 'xml' && /^\s*<svg[\s>]/.test(code))) return 'svg';
  return name === 'html' ? 'html' : undefined;
}

/** The artifacts of a reply, in the order of its text. */
export function artifactsOf({ id, parts }: Pick<Reply, 'id' | 'parts'>): Artifact[] {
  const found: Artifact[] = [];
  for (const { type, text } of parts) {
    if (type !== 'text') continue;
    for (const block of splitBlocks(undefined, text).blocks) {
      const { code = '', language = '' } = readFence(block) ?? {};
      const kind = artifactKind(code, language);
      if (!kind) continue;
      const ordinal = found.filter((other) => other.kind === kind).length;
      const own = titleIn(code, kind);
      found.push({
        messageId: id,
        index: found.length,
        kind,
        title: own ?? t(kind),
        code,
        key: own ? `${kind} ${own.toLowerCase()}` : `${kind} #${ordinal}`,
      });
    }
  }
  return found;
}

/** The versions of an artifact on the path that is shown, oldest first. */
export const versionsOf = ({ key }: Artifact, messages: readonly Message[]): Artifact[] =>
  messages.flatMap((message) =>
    message.role === 'assistant' ? artifactsOf(message).filter((other) => other.key === key) : [],
  );

const MAX_TITLE = 80;

/** Markup of a title, in UTF-16 code units. */
const MAX_TITLE_MARKUP = 500;

/** The content of the first `<title>` or `<h1>`. */
function titleElement(code: string): string {
  const opening = /<(?:title|h1)\b[^<>]*>/i.exec(code);
  if (!opening) return '';
  const from = opening.index + opening[0].length;
  const rest = code.slice(from, from + MAX_TITLE_MARKUP);
  return rest.slice(0, Math.max(0, rest.search(/<\/(?:title|h1)\b/i)));
}

function titleIn(code: string, kind: ArtifactKind): string | undefined {
  const written =
    kind === 'mermaid'
      ? (/^[ \t]*title:?[ \t]+(\S.*)$/m.exec(code)?.[1] ?? '')
      : titleElement(code);
  const title = written
    .replace(/<[^<>]*>/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  return title === '' ? undefined : title.slice(0, MAX_TITLE);
}
