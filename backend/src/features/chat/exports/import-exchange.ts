import type { ImportedMessage } from './imported-tree.ts';

// What a web process and the child of the file reader exchange for an import.

/** The file in the task's folder: the body of the request, as it was sent. */
export const BODY_FILE = 'body.json';

/** Head of the child's answer. Each line below it is an `ImportedMessage` as JSON. */
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
