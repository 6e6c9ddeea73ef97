// MongoDB's wire protocol: https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/
import { type Doc, decode, encodeReply, Raw } from './bson.ts';

const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;
const HEADER = 16;
const MORE_TO_COME = 2;
const CHECKSUM_PRESENT = 1;
const EXHAUST_ALLOWED = 0x1_00_00;

export const MAX_MESSAGE = 48_000_000;

/** One command of a client. Lists that it sends beside the command are included as lists of `Raw`. */
export interface Request {
  id: number;
  opcode: typeof OP_QUERY | typeof OP_MSG;
  command: Doc;
  /** False when the client waits for no answer. */
  wantsReply: boolean;
  /** Whether the client reads further answers to the same request. */
  takesMore: boolean;
}

/** Splits the bytes of a connection into whole messages. */
export class Framer {
  #chunks: Buffer[] = [];
  #length = 0;

  /** @throws Error when the client does not use the protocol. */
  *push(chunk: Buffer): Generator<Buffer> {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    while (this.#length >= HEADER) {
      if ((this.#chunks[0]?.length ?? 0) < 4) this.#join();
      const size = this.#chunks[0]?.readInt32LE(0) ?? 0;
      if (size < HEADER || size > MAX_MESSAGE + HEADER)
        throw new Error(`a message of ${size} bytes`);
      if (this.#length < size) return;
      const all = this.#join();
      this.#chunks = all.length > size ? [all.subarray(size)] : [];
      this.#length -= size;
      yield all.subarray(0, size);
    }
  }

  #join(): Buffer {
    const all =
      this.#chunks.length === 1 && this.#chunks[0] ? this.#chunks[0] : Buffer.concat(this.#chunks);
    this.#chunks = [all];
    return all;
  }
}

/** @throws Error for an opcode that current drivers do not send, and for a damaged message. */
export function readRequest(message: Buffer): Request {
  const id = message.readInt32LE(4);
  const opcode = message.readInt32LE(12);
  if (opcode === OP_MSG) {
    const flags = message.readUInt32LE(HEADER);
    const end = message.length - (flags & CHECKSUM_PRESENT ? 4 : 0);
    const command = readSections(message.subarray(HEADER + 4, end));
    const wantsReply = (flags & MORE_TO_COME) === 0;
    return { id, opcode, command, wantsReply, takesMore: (flags & EXHAUST_ALLOWED) !== 0 };
  }
  // Only the handshake of a driver uses this form: flags, collection name, skip, limit, document.
  if (opcode !== OP_QUERY) throw new Error(`opcode ${opcode}`);
  const name = message.indexOf(0, HEADER + 4);
  const database = message.toString('utf8', HEADER + 4, name).split('.')[0];
  const command = { ...decode(documentAt(message, name + 9)), $db: database };
  return { id, opcode, command, wantsReply: true, takesMore: false };
}

function readSections(sections: Buffer): Doc {
  let command: Doc = {};
  const lists: Record<string, Raw[]> = {};
  for (let at = 0; at < sections.length; ) {
    const kind = sections[at++];
    const size = sections.readInt32LE(at);
    if (size < 5 || at + size > sections.length) throw new Error('a section of a wrong size');
    if (kind === 0) command = decode(sections.subarray(at, at + size));
    else if (kind === 1) {
      const nameEnd = sections.indexOf(0, at + 4);
      lists[sections.toString('utf8', at + 4, nameEnd)] = readList(
        sections.subarray(nameEnd + 1, at + size),
      );
    } else throw new Error(`a section of kind ${kind}`);
    at += size;
  }
  return { ...command, ...lists };
}

function readList(bytes: Buffer): Raw[] {
  const list: Raw[] = [];
  for (let at = 0; at < bytes.length; ) {
    const document = documentAt(bytes, at);
    list.push(new Raw(document));
    at += document.length;
  }
  return list;
}

function documentAt(bytes: Buffer, at: number): Buffer {
  const size = bytes.readInt32LE(at);
  if (size < 5 || at + size > bytes.length) throw new Error('a document of a wrong size');
  return bytes.subarray(at, at + size);
}

let lastId = 0;

/** The message that answers a request. `isMoreToCome`: another answer to the same request follows. */
export function writeReply(
  request: Pick<Request, 'id' | 'opcode'>,
  reply: Doc,
  isMoreToCome = false,
): Buffer {
  const body = encodeReply(reply);
  // OP_MSG: flags and the kind of the section. OP_REPLY: flags, cursor, starting from, one document.
  const extra = Buffer.alloc(request.opcode === OP_MSG ? 5 : 20);
  if (isMoreToCome) extra.writeUInt32LE(MORE_TO_COME, 0);
  if (request.opcode === OP_QUERY) extra.writeInt32LE(1, 16);
  const header = Buffer.alloc(HEADER);
  header.writeInt32LE(HEADER + extra.length + body.length, 0);
  lastId = (lastId + 1) & 0x7fffffff;
  header.writeInt32LE(lastId, 4);
  header.writeInt32LE(request.id, 8);
  header.writeInt32LE(request.opcode === OP_MSG ? OP_MSG : OP_REPLY, 12);
  return Buffer.concat([header, extra, body]);
}
