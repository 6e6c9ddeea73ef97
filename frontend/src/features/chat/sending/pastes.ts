import { dismissToast } from '../../../ui/toast-store.ts';

/** A longer text was pasted and not typed; the server has the same limit. */
const MAX_TYPED_LENGTH = 500;
/** Shorter lines occur by chance. */
const MIN_LINE_LENGTH = 12;

const pasted = new Map<string, Set<string>>();

/** Notes a text that was pasted into the message of a conversation, by its lines: some may be edited afterwards. */
export function notePaste(conversationId: string, text: string): void {
  if (text.length <= MAX_TYPED_LENGTH) return;
  const lines = pasted.get(conversationId) ?? new Set();
  for (const line of text.split(/\r?\n/))
    if (line.trim().length >= MIN_LINE_LENGTH) lines.add(line);
  pasted.set(conversationId, lines);
}

/** The ranges of a message with pasted lines. */
export function pastesIn(conversationId: string, content: string) {
  const ranges: { start: number; end: number }[] = [];
  for (const line of pasted.get(conversationId) ?? []) {
    for (let start = content.indexOf(line); start !== -1; ) {
      ranges.push({ start, end: start + line.length });
      start = content.indexOf(line, start + line.length);
    }
  }
  return merged(ranges);
}

/** Ranges of a send. */
const MAX_RANGES = 100;

/** Ranges with only white space between them are joined; the last range includes all beyond the limit. */
function merged(ranges: { start: number; end: number }[]) {
  const sorted = ranges.toSorted((a, b) => a.start - b.start);
  const joined: typeof ranges = [];
  for (const range of sorted) {
    const last = joined.at(-1);
    if (last && (range.start <= last.end + 2 || joined.length === MAX_RANGES))
      last.end = Math.max(last.end, range.end);
    else joined.push({ ...range });
  }
  return joined;
}

/** The notices that offer to undo a paste, by conversation. */
const notices = new Map<string, number>();

/** The notice stays until the message is sent: then there is nothing to undo. */
export const keepPasteNotice = (conversationId: string, notice: number): void =>
  void notices.set(conversationId, notice);

export function forgetPastes(conversationId: string): void {
  pasted.delete(conversationId);
  dismissToast(notices.get(conversationId) ?? 0);
}
