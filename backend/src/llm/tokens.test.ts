import { describe, expect, it } from 'vitest';
import { countPromptTokens, countTokens, mostPromptTokens } from './tokens.ts';

describe('countTokens', () => {
  it('counts as the encoding o200k_base does', () => {
    expect(countTokens('')).toBe(0);
    expect(countTokens('Hello, world!')).toBe(4);
  });

  it('takes control tokens that a person wrote as plain text', () => {
    expect(countTokens('<|endoftext|>')).toBeGreaterThan(1);
  });

  it.each([
    ['one endless word', 'a'.repeat(2_000_000)],
    ['only blanks', ' '.repeat(2_000_000)],
    ['only emoji', '👩‍👩‍👧‍👦'.repeat(100_000)],
    ['broken surrogates', '\uD83D'.repeat(1_000_000)],
  ])('answers for hostile text: %s', (_, text) => {
    const tokens = countTokens(text);
    expect(Number.isInteger(tokens)).toBe(true);
    expect(tokens).toBeGreaterThan(0);
  });

  it('estimates the rest of a huge text from its beginning', () => {
    const prose = 'The owl sees in the dark and says little. ';
    const perSentence = countTokens(prose.repeat(100)) / 100;
    expect(countTokens(prose.repeat(10_000)) / 10_000).toBeCloseTo(perSentence, 0);
  });
});

describe('mostPromptTokens', () => {
  it.each(['Hello', '漢字仮名交じり文', '👩‍👩‍👧‍👦', '<|endoftext|>', '\u0000\uFFFF'])(
    'is never less than the count: %s',
    (content) => {
      const prompt = [{ role: 'user' as const, content }];
      expect(mostPromptTokens(prompt)).toBeGreaterThanOrEqual(countPromptTokens(prompt));
    },
  );
});
