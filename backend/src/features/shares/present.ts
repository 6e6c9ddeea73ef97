import { createHash } from 'node:crypto';
import type { MessageFile } from '../../contract/messages.ts';
import { isPanel, sourcesAsNumbers } from '../../contract/reply-text.ts';
import type {
  SharedContent,
  SharedFile,
  SharedMessage,
  SharedPart,
  SharedSource,
  ShareInclude,
} from '../../contract/shares.ts';
import type { MessageRecord, ReplyRecord } from '../chat/index.ts';

// The only place that decides what of a message others see. It names each field that is shown: what it does not name stays private.

/** What a link shows. */
export interface Content {
  shown: SharedContent;
  revision: string;
  /** The files that it shows. */
  fileIds: string[];
  /** How many of the replies quote files. */
  quoting: number;
}

interface Shown {
  include: ShareInclude;
  /** The name of the user who wrote the message. */
  authorName: string;
}

export const presentShared = (record: MessageRecord, shown: Shown): SharedMessage => {
  const files = shown.include.files ? (record.metadata?.files ?? []).map(presentFile) : [];
  const name = shown.include.names ? nameOf(record, shown) : undefined;
  const said = record.role === 'user' ? ownWords(record.content) : presentReply(record, shown);
  return {
    role: record.role,
    ...(name && { name }),
    ...said,
    ...(files.length > 0 && { files }),
  };
};

const ownWords = (text: string): Pick<SharedMessage, 'parts'> => ({
  parts: [{ type: 'text', text }],
});

const nameOf = (record: MessageRecord, { authorName }: Shown): string | undefined =>
  record.role === 'user' ? authorName : record.settings.persona?.name;

function presentReply(
  reply: ReplyRecord,
  { include }: Shown,
): Pick<SharedMessage, 'parts' | 'sources' | 'state'> {
  const sources = include.files ? (reply.metadata?.citations ?? []).map(presentSource) : [];
  const state = stateOf(reply);
  return {
    parts: partsOf(reply, include),
    ...(sources.length > 0 && { sources }),
    ...(state && { state }),
  };
}

function partsOf(
  { parts: written, content }: ReplyRecord,
  include: ShareInclude,
): SharedMessage['parts'] {
  const parts = written ?? [{ type: 'text' as const, text: content }];
  const members = [...new Set(parts.flatMap(({ personaId }) => personaId ?? []))];
  return parts
    .filter(({ type, text }) => text !== '' && (type === 'text' || include.reasoning))
    .map(({ type, text, personaId, personaName }): SharedPart => {
      const member = personaId === undefined ? 0 : members.indexOf(personaId) + 1;
      return {
        type,
        text: withoutPlaces(text),
        ...(isPanel(parts) && member > 0 && { member }),
        ...(include.names && personaName && { name: personaName }),
      };
    });
}

/** A link to a place of a file, also one that the model did not write as a citation. */
const PLACE = /\]\(#source=[0-9a-f,]{0,60}\)/g;

const withoutPlaces = (text: string): string => sourcesAsNumbers(text).replace(PLACE, ']');

function stateOf({ status, ending }: ReplyRecord): SharedMessage['state'] {
  if (status === 'queued' || status === 'streaming') return 'running';
  return status === 'complete' && ending === undefined ? undefined : 'incomplete';
}

const presentSource = ({ n, fileName, page, pageLabel }: SharedSource): SharedSource => ({
  n,
  fileName,
  page,
  ...(pageLabel !== undefined && { pageLabel }),
});

const presentFile = ({ id, name = '', type, size }: MessageFile): SharedFile => ({
  name,
  ...(id !== undefined && { ref: refOf(id) }),
  ...(type !== undefined && { type }),
  ...(size !== undefined && { size }),
});

/** Names a file in links. It is not its id, which calls of other features take. */
export const refOf = (fileId: string): string =>
  createHash('sha256').update(`shared:${fileId}`).digest('base64url').slice(0, 22);

/** The files that messages show. */
export const fileIdsOf = (records: readonly MessageRecord[]): string[] => [
  ...new Set(
    records.flatMap(({ metadata }) => metadata?.files?.flatMap(({ id }) => id ?? []) ?? []),
  ),
];

/** Whether a reply quotes files. */
export const isQuoting = ({ role, metadata }: MessageRecord): boolean =>
  role === 'assistant' && (metadata?.citations?.length ?? 0) > 0;
