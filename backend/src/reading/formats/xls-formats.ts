import { CFB } from '@e965/xlsx';

/** Records of a workbook of Excel 97 to 2003: one of a cell's format, and one after which all are encrypted ([MS-XLS], 2.3). */
const XF = 0x00e0;
const FILE_PASS = 0x002f;
/** Formats of East Asia that the package does not know in such workbooks, by others: times, which may be dates, and a date. */
const KNOWN_FORMATS = new Map([
  [32, 21],
  [33, 21],
  [34, 21],
  [35, 21],
  [36, 14],
]);

/** The bytes of a workbook whose formats the package knows. */
export function withKnownFormats(bytes: Buffer): Buffer {
  if (bytes.readUInt32BE(0) !== 0xd0cf11e0) return bytes;
  const container = CFB.read(bytes, { type: 'buffer' });
  const content = CFB.find(container, '/Workbook')?.content;
  if (!content) return bytes;
  const records = Buffer.from(content);
  let isChanged = false;
  for (let at = 0; at + 8 <= records.length; at += 4 + records.readUInt16LE(at + 2)) {
    const record = records.readUInt16LE(at);
    if (record === FILE_PASS) return bytes;
    const known = KNOWN_FORMATS.get(records.readUInt16LE(at + 6));
    if (record !== XF || known === undefined) continue;
    records.writeUInt16LE(known, at + 6);
    isChanged = true;
  }
  if (!isChanged) return bytes;
  CFB.utils.cfb_add(container, '/Workbook', records);
  return Buffer.from(CFB.write(container, { type: 'buffer' }) as Uint8Array);
}
