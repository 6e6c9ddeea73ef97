import { isSmall, type NumberValue } from './numbers.ts';
import { isSameFamily } from './unit-names.ts';
import type { TableHead } from './units.ts';

/** Numbers without a unit get those of the head of their table, as further readings. */
export function withHead(
  numbers: readonly NumberValue[],
  { declared, currencies }: TableHead,
): NumberValue[] {
  if (declared.length === 0) return [...numbers];
  return numbers.map((number) => {
    if (number.factor !== 1) return number;
    const family = number.readings[0]?.family ?? null;
    const readings = declared
      .filter(
        (unit) => family === null || unit.family === null || isSameFamily(family, unit.family),
      )
      .flatMap((unit) => {
        const own = family ?? unit.family;
        const families = own === null ? [null, ...currencies] : [own];
        return families.flatMap((one) =>
          number.readings.map(({ value }) => ({ value: value * unit.factor, family: one })),
        );
      });
    return { ...number, readings: [...number.readings, ...readings] };
  });
}

/** A number of things that has no unit. */
export const isSmallNumber = ({ readings: [first], isWeak }: NumberValue): boolean =>
  !isWeak && first?.family === null && isSmall(first.value);

/** The maximum relative difference between a rounded number and the source. */
const ROUNDING = 0.05;
/** 'Over 250' is said of numbers up to 1.5 times as large. */
const BOUND = 1.5;

const isWithin = ({ bound }: NumberValue, value: number, other: number): boolean =>
  (bound === 'above' && other > value && other <= BOUND * value) ||
  (bound === 'below' && other < value && other >= value / BOUND);

/** Whether both are years, not numbers of the same things. */
const areYears = (claimed: NumberValue, found: NumberValue): boolean =>
  claimed.isYear && found.isYear && (claimed.word === null || claimed.word !== found.word);

/** Whether the source has the claimed number. */
export function isSameNumber(claimed: NumberValue, found: NumberValue): boolean {
  const isSignSaid = claimed.isNegative === found.isNegative;
  if (!isSignSaid && !claimed.isEitherSign && !found.isEitherSign) return false;
  const isRounded = claimed.isRounded && !areYears(claimed, found);
  return claimed.readings.some(
    ({ value, family, last, isGuess }) =>
      !isGuess &&
      found.readings.some((other) => {
        if (family !== null && !(other.family !== null && isSameFamily(family, other.family)))
          return false;
        if (last !== undefined) return other.value >= value && (other.last ?? other.value) <= last;
        const difference = Math.abs(value - other.value);
        if (difference <= 1e-9 * Math.abs(other.value)) return true;
        const isYear = found.isYear && other.family === null;
        if (!isYear && !other.isGuess && isWithin(claimed, value, other.value)) return true;
        return isRounded && difference <= ROUNDING * Math.abs(other.value);
      }),
  );
}
