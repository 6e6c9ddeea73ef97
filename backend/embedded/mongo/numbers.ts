import { Decimal128, Double, Int32, Long } from 'bson';

export type Numeric = Int32 | Double | Long | Decimal128;

export const isNumeric = (value: unknown): value is Numeric =>
  value instanceof Int32 ||
  value instanceof Double ||
  value instanceof Long ||
  value instanceof Decimal128;

/** The nearest double. */
export function toDouble(value: Numeric): number {
  if (value instanceof Int32 || value instanceof Double) return value.value;
  return value instanceof Long ? value.toNumber() : Number(value.toString());
}

/** Orders numbers of all types by value; NaN before everything else, as MongoDB does. */
export function compareNumbers(a: Numeric, b: Numeric): number {
  const [x, y] = [toDouble(a), toDouble(b)];
  if (x < y) return -1;
  if (x > y) return 1;
  if (x !== y) return Number.isNaN(x) ? (Number.isNaN(y) ? 0 : -1) : 1;
  return isExact(a) && isExact(b) ? 0 : compareDecimals(a, b);
}

const isExact = (value: Numeric) => value instanceof Int32 || value instanceof Double;

/** coefficient × 10^exponent; null for NaN and the infinities. */
interface Decimal {
  coefficient: bigint;
  exponent: number;
}

function toDecimal(value: Numeric): Decimal | null {
  const parts = /^(-?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(
    value instanceof Double ? String(value.value) : value.toString(),
  );
  if (!parts) return null;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts;
  return {
    coefficient: BigInt(sign + whole + fraction),
    exponent: Number(exponent) - fraction.length,
  };
}

/** Brings two decimals to the same exponent. Only called for values of similar size or small exponents. */
function align(a: Decimal, b: Decimal): [bigint, bigint, number] {
  const exponent = Math.min(a.exponent, b.exponent);
  const scale = (d: Decimal) => d.coefficient * 10n ** BigInt(d.exponent - exponent);
  return [scale(a), scale(b), exponent];
}

/** The exact value of a double: 0.1 is slightly more than the decimal 0.1. Null for NaN and the infinities. */
function exactly(value: Numeric): Decimal | null {
  if (!(value instanceof Double)) return toDecimal(value);
  let [mantissa, exponent] = [value.value, 0];
  if (!Number.isFinite(mantissa)) return null;
  for (; !Number.isInteger(mantissa); exponent--) mantissa *= 2;
  // m * 2^-e = m * 5^e * 10^-e
  return { coefficient: BigInt(mantissa) * 5n ** BigInt(-exponent), exponent };
}

/** Orders two numbers whose nearest doubles are equal. */
function compareDecimals(a: Numeric, b: Numeric): number {
  const [x, y] = [exactly(a), exactly(b)];
  // An infinity is further from zero than a decimal beyond the largest double.
  if (!x || !y) return x === y ? 0 : Math.sign(toDouble(a)) * (x ? -1 : 1);
  const [m, n] = align(x, y);
  return m < n ? -1 : m > n ? 1 : 0;
}

/** The sum in the wider of the two types; an Int32 that overflows becomes a Long. */
export function add(a: Numeric, b: Numeric): Numeric {
  if (a instanceof Decimal128 || b instanceof Decimal128) return addDecimals(a, b);
  if (a instanceof Double || b instanceof Double) return new Double(toDouble(a) + toDouble(b));
  const sum = toBigInt(a) + toBigInt(b);
  const fitsInt = BigInt.asIntN(32, sum) === sum;
  if (fitsInt && a instanceof Int32 && b instanceof Int32) return new Int32(Number(sum));
  return BigInt.asIntN(64, sum) === sum ? Long.fromBigInt(sum) : new Double(Number(sum));
}

const toBigInt = (value: Int32 | Long) =>
  value instanceof Long ? value.toBigInt() : BigInt(value.value);

function addDecimals(a: Numeric, b: Numeric): Decimal128 {
  const [x, y] = [toDecimal(a), toDecimal(b)];
  if (!x || !y) return Decimal128.fromString('NaN');
  const [m, n, exponent] = align(x, y);
  return Decimal128.fromStringWithRounding(`${m + n}E${exponent}`);
}

/** A JavaScript number in the BSON type of MongoDB's shell. */
export const fromNumber = (value: number): Numeric =>
  Number.isInteger(value) && Math.abs(value) < 2 ** 31 ? new Int32(value) : new Double(value);
