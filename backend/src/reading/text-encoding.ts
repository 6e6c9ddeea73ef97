/** Control characters that no text contains; tab, line ends, form feed and escape occur in texts. */
// oxlint-disable-next-line no-control-regex
const BINARY = /[\u0000-\u0006\u000e-\u001a\u001c-\u001f]/;

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/**
 * The encoding of a text by its first bytes: a byte order mark, else valid UTF-8, else UTF-16 by its zero bytes, else Windows-1252. Null
 * when the bytes are not text.
 */
export function encodingOf(head: Uint8Array): Encoding | null {
  const marked = utf16ByMark(head);
  if (marked) return marked;
  const utf8 = tryDecode(head, 'utf-8');
  if (utf8 !== null && !BINARY.test(utf8)) return 'utf-8';
  const utf16 = utf16ByZeros(head);
  if (utf16) return utf16;
  // Most bytes of Windows-1252 are characters, so only control characters identify a binary file.
  return BINARY.test(new TextDecoder('windows-1252').decode(head)) ? null : 'windows-1252';
}

/** The text of a whole file without its byte order mark; null when the bytes are not text. */
export function decodeText(bytes: Uint8Array): string | null {
  const encoding = encodingOf(bytes.subarray(0, 64 * 1024));
  if (!encoding) return null;
  // A file that stops being UTF-8 after its head is mostly Windows-1252; UTF-8 with replaced bytes loses less.
  return new TextDecoder(encoding).decode(bytes);
}

function tryDecode(bytes: Uint8Array, encoding: Encoding): string | null {
  try {
    // The head may end within a character.
    return new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return null;
  }
}

/** UTF-16 with a byte order mark; null for other bytes that begin like one, such as MP3. */
export function utf16ByMark(head: Uint8Array): Encoding | null {
  const begin = Buffer.from(head.subarray(0, 2)).toString('hex');
  const encoding = begin === 'fffe' ? 'utf-16le' : begin === 'feff' ? 'utf-16be' : null;
  return encoding && !BINARY.test(new TextDecoder(encoding).decode(head)) ? encoding : null;
}

/** Western text in UTF-16 has a zero in every other byte. */
function utf16ByZeros(head: Uint8Array): Encoding | null {
  const pairs = Math.floor(Math.min(head.length, 4_096) / 2);
  if (pairs < 4) return null;
  let even = 0;
  let odd = 0;
  for (let at = 0; at < pairs * 2; at += 2) {
    if (head[at] === 0) even += 1;
    if (head[at + 1] === 0) odd += 1;
  }
  const likely = odd > pairs * 0.7 && even < pairs * 0.05 ? 'utf-16le' : null;
  const encoding = likely ?? (even > pairs * 0.7 && odd < pairs * 0.05 ? 'utf-16be' : null);
  const text = encoding && tryDecode(head, encoding);
  return text && !BINARY.test(text) ? encoding : null;
}
