/**
 * The approximate number of tokens of `text`, without a vocabulary; rather too high than too low. English has 4.5 characters a token, other
 * languages with spaces 2.5 to 4, three digits are a token, so is what stands beside them, and a CJK character is about one.
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  let digits = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (isDigit(unit)) {
      tokens += digits % 3 === 0 ? 1 : 0;
      digits += 1;
      continue;
    }
    // A space belongs to the word behind it.
    const isAfter = digits > 0 && unit !== 0x20;
    const isBeside = unit < 0x41 && (isAfter || isDigit(text.charCodeAt(at + 1)));
    tokens += isBeside ? 1 : costOf(unit);
    digits = 0;
  }
  return Math.ceil(tokens);
}

const isDigit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39;

function costOf(unit: number): number {
  if (unit === 0x20) return 0.05;
  if (unit >= 0x61 && unit <= 0x7a) return 0.27;
  // Sequences of capitals are often codes, which are split into short tokens.
  if (unit >= 0x41 && unit <= 0x5a) return 0.9;
  if (unit < 0x80) return 0.7;
  if (unit < 0x05_00) return 0.45;
  if (unit < 0x20_00) return 0.7;
  return 1;
}
