/** A number as lists write it, by the names of Word's formats (ECMA-376, 17.18.59); an unknown format is decimal. */
export function formatNumber(n: number, format: string): string {
  switch (format) {
    case 'none':
      return '';
    case 'decimalZero':
      return String(n).padStart(2, '0');
    case 'lowerLetter':
      return letters(n);
    case 'upperLetter':
      return letters(n).toUpperCase();
    case 'lowerRoman':
      return roman(n);
    case 'upperRoman':
      return roman(n).toUpperCase();
    default:
      return String(n);
  }
}

/** a to z, then aa, bb and so on. */
const letters = (n: number): string =>
  n < 1 || n > 780 ? String(n) : String.fromCharCode(97 + ((n - 1) % 26)).repeat(Math.ceil(n / 26));

const ROMAN = [
  ['m', 1_000],
  ['cm', 900],
  ['d', 500],
  ['cd', 400],
  ['c', 100],
  ['xc', 90],
  ['l', 50],
  ['xl', 40],
  ['x', 10],
  ['ix', 9],
  ['v', 5],
  ['iv', 4],
  ['i', 1],
] as const;

function roman(n: number): string {
  if (n < 1 || n > 3_999) return String(n);
  let rest = n;
  let text = '';
  for (const [sign, value] of ROMAN) for (; rest >= value; rest -= value) text += sign;
  return text;
}
