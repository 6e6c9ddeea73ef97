import { crc32, deflateSync, inflateSync } from 'node:zlib';

// PNG (ISO/IEC 15948): a signature, then chunks of length, type, data and CRC. Text chunks hold character cards.

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Length, type and CRC of a chunk. */
const OVERHEAD = 12;
/** Maximum length of all decompressed texts of a picture. */
const MAX_TEXT_BYTES = 20 * 1024 * 1024;

export class BadPngError extends Error {
  override name = 'BadPngError';
}

export interface TextChunk {
  keyword: string;
  /** The bytes of the file: Latin-1 of tEXt, UTF-8 of iTXt. */
  text: string;
}

export const isPng = (bytes: Buffer): boolean =>
  bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE);

interface Chunk {
  type: string;
  data: Buffer;
}

/** The chunks of a PNG, in their order. @throws BadPngError for wrong lengths and checksums */
function* chunksOf(bytes: Buffer): Generator<Chunk> {
  for (let at = SIGNATURE.length; ; ) {
    if (at + OVERHEAD > bytes.length) throw new BadPngError('The picture ends early.');
    const length = bytes.readUInt32BE(at);
    const end = at + OVERHEAD + length;
    if (end > bytes.length) throw new BadPngError('A chunk is longer than the picture.');
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (at === SIGNATURE.length && type !== 'IHDR')
      throw new BadPngError('The picture has no header.');
    if (bytes.readUInt32BE(end - 4) !== crc32(bytes.subarray(at + 4, end - 4)))
      throw new BadPngError(`The checksum of the chunk ${type} is wrong.`);
    yield { type, data: bytes.subarray(at + 8, end - 4) };
    if (type === 'IEND') return;
    at = end;
  }
}

/**
 * The first text of each keyword; texts of other keywords are not decompressed.
 * @throws BadPngError for wrong lengths and checksums
 */
export function textsOf(bytes: Buffer, keywords: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  let left = MAX_TEXT_BYTES;
  for (const { type, data } of chunksOf(bytes)) {
    if (type !== 'tEXt' && type !== 'iTXt') continue;
    const keyword = data.toString('latin1', 0, endOf(data, 0));
    if (!keywords.includes(keyword) || found.has(keyword)) continue;
    const text = type === 'tEXt' ? plainText(data) : internationalText(data, left);
    left -= text.length;
    found.set(keyword, text);
  }
  return found;
}

const plainText = (data: Buffer): string => data.toString('latin1', endOf(data, 0) + 1);

function internationalText(data: Buffer, maxBytes: number): string {
  const end = endOf(data, 0);
  const isCompressed = data[end + 1] === 1;
  // The text follows the language and the translated keyword.
  const start = endOf(data, endOf(data, end + 3) + 1) + 1;
  const body = data.subarray(start);
  return (isCompressed ? inflated(body, maxBytes) : body).toString('utf8');
}

function inflated(body: Buffer, maxOutputLength: number): Buffer {
  try {
    return inflateSync(body, { maxOutputLength });
  } catch (error) {
    throw new BadPngError('A compressed text cannot be read.', { cause: error });
  }
}

function endOf(data: Buffer, from: number): number {
  const end = data.indexOf(0, from);
  if (end === -1) throw new BadPngError('A text chunk has no keyword.');
  return end;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}

const TEXTS = ['tEXt', 'iTXt', 'zTXt'];

/**
 * The picture with these ASCII texts instead of its own.
 * @throws BadPngError
 */
export function pngWith(picture: Buffer, texts: readonly TextChunk[]): Buffer {
  const [header, ...rest] = Array.from(chunksOf(picture)).filter(
    ({ type }) => !TEXTS.includes(type),
  );
  const written = texts.map(({ keyword, text }) => ({
    type: 'tEXt',
    data: Buffer.from(`${keyword}\0${text}`, 'latin1'),
  }));
  const chunks = [...(header ? [header] : []), ...written, ...rest];
  return Buffer.concat([SIGNATURE, ...chunks.map(({ type, data }) => chunk(type, data))]);
}

const WIDTH = 256;
const HEIGHT = 384;

/** A PNG of one colour. */
export function plainPng(colour: readonly [number, number, number]): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(WIDTH, 0);
  header.writeUInt32BE(HEIGHT, 4);
  // 8 bits a channel, RGB.
  header.set([8, 2], 8);
  const row = Buffer.from([0, ...Array.from({ length: WIDTH }, () => colour).flat()]);
  const pixels = Buffer.concat(Array.from({ length: HEIGHT }, () => row));
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
