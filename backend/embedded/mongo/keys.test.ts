import { Binary, Decimal128, Double, Int32, Long, ObjectId } from 'bson';
import { expect, test } from 'vitest';
import { encodeKey } from './keys.ts';
import { compare } from './values.ts';

// In ascending order; those in one row are equal.
const ORDERED: unknown[][] = [
  [undefined, null],
  [new Double(Number.NaN)],
  [new Double(-Infinity)],
  [new Double(-1.5)],
  [new Int32(0), new Double(-0), Decimal128.fromString('0.00')],
  [new Int32(2), new Double(2), Long.fromNumber(2), Decimal128.fromString('2.0')],
  [new Double(2.5), Decimal128.fromString('2.5')],
  [Long.fromString('9007199254740992'), new Double(2 ** 53)],
  [Long.fromString('9007199254740993')],
  [''],
  ['a'],
  ['a\0'],
  ['a\0b'],
  ['a\u0001'],
  ['ab'],
  ['ä'],
  ['𝄞'],
  [{}],
  [{ a: new Int32(1) }],
  [{ a: new Int32(1), b: null }],
  [{ b: new Int32(1) }],
  [[]],
  [[new Int32(1)]],
  [[new Int32(1), 'x']],
  [new Binary(Buffer.from([1]))],
  [new Binary(Buffer.from([0, 0]))],
  [new ObjectId('0'.repeat(24))],
  [new ObjectId('f'.repeat(24))],
  [false],
  [true],
  [new Date(-1)],
  [new Date(0)],
  [new Date(1)],
];

test.each([1, -1] as const)('index keys sort as values do, direction %i', (direction) => {
  const values = ORDERED.flatMap((row, rank) => row.map((value) => ({ value, rank })));
  for (const a of values) {
    for (const b of values) {
      const wanted = Math.sign(a.rank - b.rank) + 0;
      expect(Math.sign(compare(a.value, b.value)) + 0).toBe(wanted);
      const [x, y] = [encodeKey(a.value, direction), encodeKey(b.value, direction)];
      expect(Buffer.compare(x, y) * direction + 0).toBe(wanted);
    }
  }
});
