import { UnreadableFileError } from './port.ts';

/**
 * The lines of a stream of UTF-8 text, without their ends. Other work of this process runs between two chunks.
 * @throws UnreadableFileError `too_complex` after `maxBytes`
 */
export async function* linesOf(
  stream: AsyncIterable<Buffer>,
  maxBytes = Infinity,
): AsyncGenerator<string> {
  let bytes = 0;
  let parts: Buffer[] = [];
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new UnreadableFileError('too_complex', 'The result is too large.');
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      parts.push(chunk.subarray(from, end));
      yield Buffer.concat(parts).toString('utf8');
      parts = [];
      from = end + 1;
    }
    parts.push(chunk.subarray(from));
  }
}
