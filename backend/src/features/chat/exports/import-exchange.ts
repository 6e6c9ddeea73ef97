import type { ImportedMessage } from './imported-tree.ts';

// The exchange between a web process and the child of the file reader for an import.

/** The file in the task's folder: the unparsed body of the request. */
export const BODY_FILE = 'body.json';

/** The first line of the child's answer. Each following line is an `ImportedMessage` as JSON. */
export interface ImportHead {
  clientConversationId: string;
  title: string;
  /** ISO 8601; not in the future. */
  createdAt: string;
  /** Creation of the newest message, ISO 8601. */
  newestAt: string;
  activeLeafId: string | null;
}

export const messageOfLine = (line: string): ImportedMessage => {
  const message = JSON.parse(line) as ImportedMessage & { createdAt: string };
  return { ...message, createdAt: new Date(message.createdAt) };
};
