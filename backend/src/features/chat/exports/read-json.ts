import {
  EXPORT_FORMAT,
  EXPORT_VERSION,
  ExportedConversation,
} from '../../../contract/conversations.ts';
import { MAX_IMPORT_MESSAGES } from '../../../contract/limits.ts';
import { refuse } from './refusals.ts';

const MAX_DEPTH = 100;
/** Objects, arrays and their entries: about fifty per message. */
const MAX_VALUES = 50 * MAX_IMPORT_MESSAGES;

/** Reads a conversation that was exported as JSON. @throws AppError invalid_field */
export function readJson(text: string): ExportedConversation {
  checkSize(text);
  const raw = parse(text.replace(/^\ufeff/, ''));
  if (raw['format'] !== EXPORT_FORMAT) throw notExported();
  if (typeof raw['version'] === 'number' && raw['version'] > EXPORT_VERSION)
    throw refuse('This file was exported by a newer version of STOLAS and cannot be read here.');
  // Counted before each is validated.
  if (Array.isArray(raw['messages'])) checkCount(raw['messages'].length);
  const parsed = ExportedConversation.safeParse(raw);
  if (parsed.success) return parsed.data;
  throw refuse(describe(parsed.error.issues[0]?.path ?? []));
}

/** @throws AppError invalid_field for more messages than an import may have */
export function checkCount(messages: number): void {
  if (messages > MAX_IMPORT_MESSAGES) {
    const limit = MAX_IMPORT_MESSAGES.toLocaleString('en-US');
    throw refuse(`This conversation has more than ${limit} messages and cannot be imported.`);
  }
}

function parse(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refuse('This file is not valid JSON. Export the conversation again.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw notExported();
  return value as Record<string, unknown>;
}

/** Refuses, before parsing, a text whose values would take far more memory than the text. */
function checkSize(text: string): void {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === '"') at = endOfString(text, at);
    else if (character === '{' || character === '[') {
      depth += 1;
      values += 1;
    } else if (character === '}' || character === ']') depth -= 1;
    else if (character === ',') values += 1;
    if (depth > MAX_DEPTH || values > MAX_VALUES) throw notExported();
  }
}

/** The end of the string that begins at `start`; the end of the text when it is not closed. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at += 1) {
    const quote = text.indexOf('"', at);
    if (quote === -1) return text.length;
    let backslashes = 0;
    while (text.charAt(quote - 1 - backslashes) === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return quote;
    at = quote;
  }
}

function describe([field, index, name]: readonly PropertyKey[]): string {
  if (field !== 'messages' || typeof index !== 'number')
    return `'${String(field)}' of this file is missing or not valid.`;
  return name === undefined
    ? `Message ${index + 1} of this file is not valid.`
    : `'${String(name)}' of message ${index + 1} is missing or not valid.`;
}

const notExported = () => refuse('This file is not a conversation that was exported from STOLAS.');
