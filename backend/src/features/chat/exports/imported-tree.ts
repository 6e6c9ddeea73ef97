import type { ExportedConversation, ExportedMessage } from '../../../contract/conversations.ts';
import { MAX_MESSAGE_LENGTH } from '../../../contract/limits.ts';
import { sourcesAsNumbers } from '../../../contract/reply-text.ts';
import { cleanFileName } from '../../../text/file-name.ts';
import { MAX_REPLY_LENGTH, refuse } from './refusals.ts';

/** A message of an import as it is stored. */
export interface ImportedMessage extends Omit<ExportedMessage, 'createdAt' | 'status' | 'ending'> {
  createdAt: Date;
  /** The number of messages above it. */
  depth: number;
  /** UTF-8 bytes from the root to this message. */
  pathLength: number;
  /** Only for a reply. */
  status?: 'complete' | NonNullable<ExportedMessage['status']>;
  ending?: NonNullable<ExportedMessage['ending']>;
}

interface Options {
  now: Date;
  newId: () => string;
}

/** A message under construction, with the state that its children need. */
interface Node extends ImportedMessage {
  /** When its newest child was created. */
  lastChildAt: number;
}

/**
 * Builds the message tree of an import: new ids, and dates that increase along every branch. A user message without a reply gets an
 * interrupted one, so that the conversation can continue.
 * @throws AppError invalid_field for messages that form no tree of questions and replies
 */
export function buildTree(
  { messages, activeLeafId }: Pick<ExportedConversation, 'messages' | 'activeLeafId'>,
  { now, newId }: Options,
): { messages: ImportedMessage[]; activeLeafId: string | null } {
  const nodes = new Map<string, Node>();
  const stored: Node[] = [];
  const roots = { lastChildAt: 0 };

  const add = (message: ExportedMessage, number: number): void => {
    const parent = parentOf(message, { nodes, number });
    const node = nodeOf(message, { parent, siblings: parent ?? roots, now, id: newId() });
    nodes.set(message.id, node);
    stored.push(node);
  };

  for (const [index, message] of messages.entries()) {
    check(message, index + 1);
    if (nodes.has(message.id))
      throw refuse(`Two messages of this file have the id of message ${index + 1}.`);
    add(message, index + 1);
  }
  const answered = new Set(stored.map(({ parentId }) => parentId));
  const open = stored.filter(({ id, role }) => role === 'user' && !answered.has(id));
  const cutOff = open.map((message) =>
    nodeOf(CUT_OFF, { parent: message, siblings: message, now, id: newId() }),
  );
  const all = [...stored, ...cutOff];
  const active = activeLeafId == null ? null : nodes.get(activeLeafId);
  if (active === undefined)
    throw refuse('The active message of this file is not among its messages.');
  return { messages: all.map(withoutPlace), activeLeafId: newestLeaf(all, active) };
}

const CUT_OFF = { role: 'assistant', content: '', status: 'interrupted' } as const;

interface ParentOptions {
  nodes: ReadonlyMap<string, Node>;
  /** Position of the message in the file, from 1. */
  number: number;
}

function parentOf(
  { parentId, role }: ExportedMessage,
  { nodes, number }: ParentOptions,
): Node | null {
  if (parentId === null) {
    if (role === 'assistant') throw refuse(`Message ${number} is a reply and follows no message.`);
    return null;
  }
  const parent = nodes.get(parentId);
  // Each message comes after its parent, so no message is above itself.
  if (!parent) throw refuse(`Message ${number} follows a message that does not stand before it.`);
  if (parent.role === role)
    throw refuse(`Message ${number} follows a message of the same side; they take turns.`);
  return parent;
}

function check({ role, content, status, ending }: ExportedMessage, number: number): void {
  const limit = role === 'user' ? MAX_MESSAGE_LENGTH : MAX_REPLY_LENGTH;
  if (content.length > limit)
    throw refuse(`Message ${number} is longer than ${limit.toLocaleString('en-US')} characters.`);
  if (role === 'user' && content.trim() === '') throw refuse(`Message ${number} is empty.`);
  if (role === 'user' && status)
    throw refuse(`Message ${number} has a status; only replies have one.`);
  if (ending && (role === 'user' || status))
    throw refuse(`Message ${number} has an ending; only complete replies have one.`);
}

type Content = Pick<ExportedMessage, 'role' | 'content' | 'status' | 'ending' | 'files'> & {
  createdAt?: string;
};

interface Place {
  parent: Node | null;
  /** Holds the creation time of the last sibling. */
  siblings: { lastChildAt: number };
  now: Date;
  id: string;
}

function nodeOf(message: Content, { parent, siblings, now, id }: Place): Node {
  const { role, status = 'complete', ending, files = [] } = message;
  const isReply = role === 'assistant';
  const wellFormed = wholeCharacters(message.content);
  const content = isReply ? sourcesAsNumbers(wellFormed) : wellFormed;
  const wanted = message.createdAt ? Date.parse(message.createdAt) : 0;
  const createdAt = Math.max(
    Math.min(wanted, now.getTime()),
    (parent?.createdAt.getTime() ?? 0) + 1,
    siblings.lastChildAt + 1,
  );
  siblings.lastChildAt = createdAt;
  return {
    id,
    parentId: parent?.id ?? null,
    role,
    content,
    createdAt: new Date(createdAt),
    depth: parent ? parent.depth + 1 : 0,
    pathLength: (parent?.pathLength ?? 0) + Buffer.byteLength(content),
    ...(isReply && { status, ...(ending && { ending }) }),
    ...(!isReply && files.length > 0 && { files: files.map(cleanFileName) }),
    lastChildAt: 0,
  };
}

/** Half of a surrogate pair becomes the replacement character, as in the database. */
export const wholeCharacters = (text: string): string => Buffer.from(text).toString();

function withoutPlace(node: Node): ImportedMessage {
  const { lastChildAt: _, ...message } = node;
  return message;
}

/** The leaf below `from` that was created last; without `from`, of the whole tree. */
function newestLeaf(nodes: readonly Node[], from: Node | null): string | null {
  const below = new Set<string | null>([from?.id ?? null]);
  let newest = from;
  for (const node of nodes) {
    if (!below.has(node.parentId)) continue;
    below.add(node.id);
    if (!newest || node.createdAt > newest.createdAt) newest = node;
  }
  return newest?.id ?? null;
}
