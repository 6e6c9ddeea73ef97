import { createHash } from 'node:crypto';

// Texts of unknown authors in prompts.

/** A token that `text` does not contain; its author cannot know it, because the reply did not exist. */
export function delimiterToken(replyId: string, text: string): string {
  for (let attempt = 0; ; attempt += 1) {
    const token = createHash('sha256').update(`${replyId}:${attempt}`).digest('hex').slice(0, 16);
    if (!text.includes(token)) return token;
  }
}

/**
 * A text without imitations: no marker of a passage, no control token of a model, no invisible characters, which hide instructions from
 * readers.
 */
export function inert(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(INVISIBLE, '')
    .replace(/\\?[[【]\s*(p\d+(?:\s*[,;&–-]\s*p\d+)*)\s*\\?[\]】]/giu, '($1)')
    .replaceAll('<|', '< |')
    .replaceAll('|>', '| >')
    .replace(/\[(\/?(?:INST|SYSTEM|SYS))\]/gi, '($1)');
}

/** A name in one line, without characters that hide text or change the writing direction of what follows. */
export const oneLine = (text: string): string =>
  text.replace(INVISIBLE, '').replace(/\s+/g, ' ').trim();

/** Control characters except tab and line end, marks of writing direction, zero-width characters, and tag characters. */
const INVISIBLE =
  /(?![\t\n])\p{Cc}|[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;
