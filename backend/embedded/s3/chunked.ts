import { Transform, type TransformCallback } from 'node:stream';
import { incompleteBody, invalidRequest } from './errors.ts';

const MAX_LINE = 8192;

/**
 * Removes the `aws-chunked` framing of a body: `<size in hex>[;…]\r
 * <data>\r
 * `, closed by a chunk of size 0 and trailer lines up to an empty one. The trailers are complete once the stream has ended.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming-trailers.html
 */
export class AwsChunkedDecoder extends Transform {
  readonly trailers = new Map<string, string>();
  #state: 'size' | 'data' | 'gap' | 'trailer' | 'done' = 'size';
  #pending: Buffer = Buffer.alloc(0);
  #left = 0;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#pending = this.#pending.length > 0 ? Buffer.concat([this.#pending, chunk]) : chunk;
    try {
      while (this.#step());
      done();
    } catch (error) {
      done(error as Error);
    }
  }

  override _flush(done: TransformCallback): void {
    done(this.#state === 'done' ? null : incompleteBody());
  }

  /** Consumes one element of the pending data; false when it needs more. */
  #step(): boolean {
    if (this.#state === 'data') return this.#data();
    const line = this.#line();
    if (line === undefined) return false;
    if (this.#state === 'size') this.#size(line);
    else if (this.#state === 'gap' && line === '') this.#state = 'size';
    else if (this.#state === 'trailer') this.#trailer(line);
    else throw invalidRequest('The chunked body goes on where it should not.');
    return true;
  }

  #line(): string | undefined {
    const end = this.#pending.indexOf('\r\n');
    if (end > MAX_LINE || (end < 0 && this.#pending.length > MAX_LINE))
      throw invalidRequest('A line of the chunked body is too long.');
    if (end < 0 && this.#state === 'done' && this.#pending.length > 0)
      throw invalidRequest('The chunked body goes on after its end.');
    if (end < 0) return undefined;
    const line = this.#pending.toString('latin1', 0, end);
    this.#pending = this.#pending.subarray(end + 2);
    return line;
  }

  #size(line: string): void {
    const size = /^([0-9a-f]{1,10})(?:;|$)/i.exec(line)?.[1];
    if (size === undefined) throw invalidRequest('A chunk has no size.');
    this.#left = Number.parseInt(size, 16);
    this.#state = this.#left > 0 ? 'data' : 'trailer';
  }

  #data(): boolean {
    if (this.#pending.length === 0) return false;
    const piece = this.#pending.subarray(0, this.#left);
    this.push(piece);
    this.#pending = this.#pending.subarray(piece.length);
    this.#left -= piece.length;
    if (this.#left === 0) this.#state = 'gap';
    return true;
  }

  #trailer(line: string): void {
    const colon = line.indexOf(':');
    if (line === '') this.#state = 'done';
    else this.trailers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
}
