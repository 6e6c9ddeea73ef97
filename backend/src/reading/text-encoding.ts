import chardet from 'chardet';
import iconv from 'iconv-lite';
import { latinEncodingsOf } from './latin-encodings.ts';

/** Control characters that no text contains; tab, line ends, form feed and escape occur in texts. */
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0006\u000e-\u001a\u001c-\u001f]/g;
/** Text files may contain a few of them; a binary file has more. */
const CHARACTERS_PER_CONTROL = 200;

/** Byte order marks; the longer ones first. */
const MARKS = [
  ['utf-32le', [0xff, 0xfe, 0, 0]],
  ['utf-32be', [0, 0, 0xfe, 0xff]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
] as const;

/** Characters beyond ASCII that a UTF-8 text has for each broken one; other encodings have hardly any valid ones. */
const WHOLE_PER_BROKEN = 10;

/** Bytes whose encoding is detected. */
const MAX_SAMPLE_BYTES = 64 * 1024;
/** Of the line around a byte beyond ASCII. */
const SAMPLE_BYTES_BEFORE = 200;
const SAMPLE_BYTES_AFTER = 400;
/** From 0 to 100: a guess below this is no better than Windows-1252. */
const MIN_CONFIDENCE = 20;
/** A guess of another encoding with this confidence needs no comparison with Windows-1252. */
const SURE_CONFIDENCE = 50;
const LATIN = /^(?:windows-125[0247]|iso-8859-2)$/;
/** In practice, texts detected as these have the characters of Windows. */
const WESTERN = new Set(['iso-8859-1', 'windows-1252', 'ascii']);

/**
 * Whether bytes are the beginning of a text. `strict`: without any control character, which a text with the signature of a binary format
 * needs.
 */
export function isText(head: Uint8Array, { strict = false } = {}): boolean {
  if (encodingByMark(head)) return true;
  const encoding = utf16ByZeros(head);
  const text = encoding ? iconv.decode(Buffer.from(head), encoding) : singleBytes(head);
  const controls = countControls(text);
  return controls === 0 || (!strict && controls <= text.length / CHARACTERS_PER_CONTROL);
}

/**
 * The text of a whole file without its byte order mark; null when the bytes are not text. The encoding follows from the byte order mark,
 * else UTF-8 when all of it is valid, else UTF-16 by its zero bytes, else the declaration of an HTML or XML document, else the letters.
 */
export function decodeText(bytes: Uint8Array): string | null {
  const head = bytes.subarray(0, 64 * 1024);
  if (!isText(head)) return null;
  const utf8 = encodingByMark(head) ? null : decodeUtf8(bytes);
  return utf8 ?? iconv.decode(Buffer.from(bytes), encodingOf(bytes, head));
}

const encodingOf = (bytes: Uint8Array, head: Uint8Array): string =>
  encodingByMark(head) ?? utf16ByZeros(head) ?? declaredEncoding(head) ?? detectedEncoding(bytes);

/** Null when the bytes are not UTF-8. A text with a few broken characters, such as a cut log, is still UTF-8. */
function decodeUtf8(bytes: Uint8Array): string | null {
  const text = new TextDecoder('utf-8').decode(bytes);
  let broken = 0;
  let whole = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0xfffd) broken += 1;
    else if (code > 0x7f) whole += 1;
  }
  return broken * WHOLE_PER_BROKEN <= whole ? text : null;
}

const singleBytes = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

const countControls = (text: string): number => text.match(CONTROL)?.length ?? 0;

/** The encoding that a byte order mark states; null for other bytes that begin like one, such as MP3. */
export function encodingByMark(head: Uint8Array): string | null {
  for (const [encoding, mark] of MARKS) {
    if (!mark.every((byte, at) => head[at] === byte)) continue;
    const whole = head.subarray(0, head.length - (head.length % 4));
    const text = iconv.decode(Buffer.from(whole), encoding);
    if (countControls(text) === 0 && !text.includes('\uFFFD')) return encoding;
  }
  return null;
}

/** Western text in UTF-16 has a zero in every other byte. */
function utf16ByZeros(head: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  const pairs = Math.floor(Math.min(head.length, 4_096) / 2);
  if (pairs < 4) return null;
  let even = 0;
  let odd = 0;
  for (let at = 0; at < pairs * 2; at += 2) {
    if (head[at] === 0) even += 1;
    if (head[at + 1] === 0) odd += 1;
  }
  if (odd > pairs * 0.7 && even < pairs * 0.05) return 'utf-16le';
  return even > pairs * 0.7 && odd < pairs * 0.05 ? 'utf-16be' : null;
}

/** The encoding in `<meta charset>` or an XML declaration. UTF-16 cannot be true for a document with a readable declaration. */
function declaredEncoding(head: Uint8Array): string | null {
  const begin = singleBytes(head.subarray(0, 2_048));
  const declared =
    /^\s{0,99}<\?xml[^>]{1,200}encoding=["']([\w-]{1,40})["']/.exec(begin) ??
    /<meta[^>]{0,200}charset\s?=\s?["']?([\w-]{1,40})/i.exec(begin);
  const name = declared?.[1]?.toLowerCase();
  if (!name || /^utf-?(16|32|8)/.test(name) || !iconv.encodingExists(name)) return null;
  return WESTERN.has(name) ? 'windows-1252' : name;
}

/**
 * The most likely encoding by the letters of lines beyond ASCII; Windows-1252 when none is likely. In short texts, the alphabets of languages
 * say more than frequencies.
 */
function detectedEncoding(bytes: Uint8Array): string {
  const sample = sampleOf(bytes);
  const found = chardet.analyse(sample);
  const [best] = found;
  const latin = latinEncodingsOf(sample);
  const sure = best && best.confidence >= SURE_CONFIDENCE ? nameOf(best.name) : undefined;
  if (latin[0] !== undefined && (sure === undefined || LATIN.test(sure)))
    return sure !== undefined && latin.includes(sure) ? sure : latin[0];
  if (!best || best.confidence < MIN_CONFIDENCE) return 'windows-1252';
  const western = found.find(({ name }) => WESTERN.has(name.toLowerCase()))?.confidence ?? 0;
  const isClose = best.confidence < SURE_CONFIDENCE && western * 2 >= best.confidence;
  if (isClose || WESTERN.has(best.name.toLowerCase())) return 'windows-1252';
  return iconv.encodingExists(best.name) ? best.name : 'windows-1252';
}

/** Windows has further characters in the place of control characters. */
const nameOf = (found: string): string =>
  found.toLowerCase().replace('iso-8859-1', 'windows-1252').replace('iso-8859-9', 'windows-1254');

/** The parts of a text around bytes that are not ASCII; only these indicate the encoding. */
function sampleOf(bytes: Uint8Array): Buffer {
  const parts: Uint8Array[] = [];
  let size = 0;
  for (let at = 0; at < bytes.length && size < MAX_SAMPLE_BYTES; at += 1) {
    if ((bytes[at] ?? 0) < 0x80) continue;
    // All of these encodings have the same line ends.
    const before = Math.max(0, at - SAMPLE_BYTES_BEFORE);
    const start = before + bytes.subarray(before, at).lastIndexOf(10) + 1;
    const after = bytes.subarray(at, at + SAMPLE_BYTES_AFTER);
    const end = after.indexOf(10);
    const to = at + (end === -1 ? after.length : end + 1);
    parts.push(bytes.subarray(start, to));
    size += to - start;
    at = to - 1;
  }
  return Buffer.concat(parts);
}
