import { describe, expect, it } from 'vitest';
import { countPromptTokens, countTokens, countTokensInThread, mostPromptTokens } from './tokens.ts';

describe('countTokens', () => {
  it('counts like the encoding o200k_base', async () => {
    expect(await countTokens('')).toBe(0);
    expect(await countTokens('Hello, world!')).toBe(4);
  });

  it('takes control tokens that a user wrote as plain text', async () => {
    expect(await countTokens('<|endoftext|>')).toBeGreaterThan(1);
  });

  it.each([
    ['one endless word', 'a'.repeat(2_000_000)],
    ['only blanks', ' '.repeat(2_000_000)],
    ['only emoji', '👩‍👩‍👧‍👦'.repeat(100_000)],
    ['broken surrogates', '\uD83D'.repeat(1_000_000)],
  ])('answers for hostile text: %s', async (_, text) => {
    const tokens = await countTokens(text);
    expect(Number.isInteger(tokens)).toBe(true);
    expect(tokens).toBeGreaterThan(0);
  });

  it('estimates the rest of a huge text from its beginning', async () => {
    const prose = 'The owl sees in the dark and says little. ';
    const perSentence = (await countTokens(prose.repeat(100))) / 100;
    expect((await countTokens(prose.repeat(10_000))) / 10_000).toBeCloseTo(perSentence, 0);
  });
});

describe('countTokensInThread', () => {
  it('counts like this process, each call its own text', async () => {
    const texts = ['', 'Hello, world!', '<|endoftext|>', 'The owl sees. '.repeat(10_000)];
    expect(await Promise.all(texts.map(countTokensInThread))).toEqual(
      await Promise.all(texts.map(countTokens)),
    );
  });
});

describe('counting a long text', () => {
  it('lets other work of the event loop run in between', async () => {
    let runs = 0;
    const timer = setInterval(() => {
      runs += 1;
    }, 0);
    await countTokens('The owl sees in the dark. '.repeat(4_000));
    clearInterval(timer);
    expect(runs).toBeGreaterThan(0);
  });
});

describe('mostPromptTokens', () => {
  it.each(['Hello', '漢字仮名交じり文', '👩‍👩‍👧‍👦', '<|endoftext|>', '\u0000\uFFFF'])(
    'is never less than the count: %s',
    async (content) => {
      const prompt = [{ role: 'user' as const, content }];
      expect(mostPromptTokens(prompt)).toBeGreaterThanOrEqual(await countPromptTokens(prompt));
    },
  );
});

describe('countPromptTokens', () => {
  it('counts 1,100 tokens for each image, as its upper bound does', async () => {
    const image = { name: 'owl.png', type: 'image/png', bytes: Buffer.alloc(10) };
    const plain = { role: 'user' as const, content: 'Hello' };
    const seen = { ...plain, images: [image, image] };
    expect((await countPromptTokens([seen])) - (await countPromptTokens([plain]))).toBe(2_200);
    expect(mostPromptTokens([seen]) - mostPromptTokens([plain])).toBe(2_200);
  });
});
