// Runs in the child of the file reader: an import is untrusted, and one of 10 MB would block the web process.
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { ImportConversationBody } from '../../../contract/conversations.ts';
import { MAX_IMPORT_BYTES, MAX_TITLE_LENGTH } from '../../../contract/limits.ts';
import { malformed } from '../../../errors.ts';
import { parseInput } from '../../../http/validate.ts';
import { answerOf } from '../../child-exchange.ts';
import { BODY_FILE, type ImportHead } from './import-exchange.ts';
import { buildTree, wholeCharacters } from './imported-tree.ts';
import { readJson } from './read-json.ts';
import { readMarkdown } from './read-markdown.ts';
import { tooLarge } from './refusals.ts';

const NO_TITLE = 'Imported conversation';

/** Reads the body of an import. import-exchange.ts defines the answer. */
export const readImport = (folder: string): Promise<Buffer> =>
  answerOf(async () => {
    const body = parseJson(await readFile(path.join(folder, BODY_FILE), 'utf8'));
    const { format, text, clientConversationId } = parseInput(ImportConversationBody, body);
    if (Buffer.byteLength(text) > MAX_IMPORT_BYTES) throw tooLarge();
    const now = new Date();
    const file = format === 'json' ? readJson(text) : readMarkdown(text, now);
    const newId = () => randomBytes(12).toString('hex');
    const { messages, activeLeafId } = buildTree(file, { now, newId });
    const created = Math.min(Date.parse(file.createdAt ?? ''), now.getTime());
    const newest = messages.reduce((time, it) => Math.max(time, it.createdAt.getTime()), 0);
    const head: ImportHead = {
      clientConversationId,
      title: titleOf(file.title),
      createdAt: (Number.isNaN(created) ? now : new Date(created)).toISOString(),
      newestAt: new Date(newest).toISOString(),
      activeLeafId,
    };
    return { head, lines: messages.map((message) => JSON.stringify(message)) };
  });

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw malformed();
  }
}

/** One line with a maximum number of characters, without a torn one. */
function titleOf(title: string): string {
  const line = wholeCharacters(title)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  let kept = '';
  for (const character of line) {
    if (kept.length + character.length > MAX_TITLE_LENGTH) break;
    kept += character;
  }
  return kept.trim() || NO_TITLE;
}
