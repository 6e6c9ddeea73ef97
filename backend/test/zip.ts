// ZIP archives for tests: valid ones by yazl, hostile ones by changing their bytes.
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';

type Entries = Record<string, string | Buffer>;

/** A ZIP archive; `stored` names the entries that are not compressed. */
export function makeZip(entries: Entries, { stored = [] }: { stored?: string[] } = {}) {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(entries))
    zip.addBuffer(Buffer.from(content), name, { compress: !stored.includes(name) });
  zip.end();
  return buffer(zip.outputStream);
}

const CENTRAL = 0x02014b50;

/** The offsets of the records in the central directory. */
function centralRecords(zip: Buffer): number[] {
  const end = zip.lastIndexOf(Buffer.from('PK\u0005\u0006', 'latin1'));
  const records: number[] = [];
  for (let at = zip.readUInt32LE(end + 16); zip.readUInt32LE(at) === CENTRAL; ) {
    records.push(at);
    at += 46 + zip.readUInt16LE(at + 28) + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return records;
}

/** All entries of the archive point to the data of its first one, like zip bombs without nested archives. */
export function overlapEntries(zip: Buffer): Buffer {
  const changed = Buffer.from(zip);
  const [first = 0, ...others] = centralRecords(changed);
  for (const record of others) {
    // Compression, CRC and sizes, then the offset of the local header.
    changed.copy(changed, record + 10, first + 10, first + 28);
    changed.copy(changed, record + 42, first + 42, first + 46);
  }
  return changed;
}

/** The archive declares a size of `size` bytes for each entry. */
export function declareSize(zip: Buffer, size: number): Buffer {
  const changed = Buffer.from(zip);
  for (const record of centralRecords(changed)) {
    changed.writeUInt32LE(size, record + 24);
    changed.writeUInt32LE(size, changed.readUInt32LE(record + 42) + 22);
  }
  return changed;
}
