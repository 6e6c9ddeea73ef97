import { expect, it } from 'vitest';
import { countPromptTokens } from '../../../llm/index.ts';
import { estimateTokens, lengthOfFiles, type PromptPart } from './estimate.ts';

const LIMITS = {
  contextTokens: 100_000,
  maxReplyTokens: { fast: 250, balanced: 500, deep: 1_000 },
};

// Ordinary prose, for which an estimate must be enough.
const TEXTS = {
  English: 'Owls turn their heads by up to 270 degrees, because their eyes do not move. ',
  Chinese: '猫头鹰的头可以转动二百七十度，因为它们的眼睛不能转动。它们在夜里捕猎。',
  Japanese: 'フクロウは頭を二百七十度まで回すことができます。目が動かないからです。',
  Korean: '올빼미는 눈을 움직일 수 없기 때문에 머리를 이백칠십 도까지 돌릴 수 있습니다. ',
  Russian: 'Сова поворачивает голову почти на двести семьдесят градусов. ',
  Arabic: 'تستطيع البومة أن تدير رأسها حتى مئتين وسبعين درجة. ',
};

it.each(Object.entries(TEXTS))(
  'estimates no prompt of %s below its size, and none far above',
  async (_language, text) => {
    const content = text.repeat(40);
    const length = Buffer.byteLength(content);
    const { promptTokens } = estimateTokens({ length, messages: 1, depth: 'balanced' }, LIMITS);
    const counted = await countPromptTokens([{ role: 'user', content }]);
    expect(promptTokens).toBeGreaterThanOrEqual(counted);
    expect(promptTokens).toBeLessThan(counted * 2.5 + 250);
  },
);

it('estimates no prompt as longer than the context', () => {
  const limits = {
    contextTokens: 1_000,
    maxReplyTokens: { fast: 250, balanced: 500, deep: 1_000 },
  };
  expect(estimateTokens({ length: 1_000_000, messages: 3, depth: 'balanced' }, limits)).toEqual({
    promptTokens: 1_000,
    replyTokens: 500,
  });
});

it.each([
  ['the text of files', { textBytes: 3_000, images: 0 }, 3_000],
  ['three quarters of the context at most', { textBytes: 1_000_000, images: 0 }, 225_000],
  [
    'three quarters of the context for text that is not read yet',
    { textBytes: null, images: 0 },
    225_000,
  ],
  ['1,100 tokens for each image', { textBytes: 0, images: 2 }, 6_600],
])('counts %s', (_what, files, length) => {
  expect(lengthOfFiles(files, LIMITS)).toBe(length);
});

it('reserves for every call of a panel: its prompt with the earlier answers, and the maximum reply', () => {
  const size = { length: 3_000, messages: 1, depth: 'balanced' as const };
  const one = estimateTokens(size, LIMITS);
  expect(estimateTokens({ ...size, calls: 3 }, LIMITS)).toEqual({
    promptTokens: 3 * one.promptTokens + (0 + 1 + 2) * 500,
    replyTokens: 3 * 500,
  });
  const small = { ...LIMITS, contextTokens: 2_000 };
  expect(estimateTokens({ ...size, calls: 4 }, small).promptTokens).toBe(
    4 * one.promptTokens + (0 + 500 + 500 + 500),
  );
});

it('counts each part with its maximum size, in long and in short prompts', () => {
  const size = { length: 300, messages: 1, depth: 'balanced' as const };
  const promptOf = (parts: PromptPart[], contextTokens: number) =>
    estimateTokens({ ...size, parts }, { ...LIMITS, contextTokens }).promptTokens;
  const plain = promptOf([], 100_000);
  expect(promptOf(['persona', 'memory'], 100_000)).toBe(plain + 2_000 + 800);
  expect(promptOf(['persona', 'memory'], 4_000)).toBe(plain + 1_000 + 400);
  expect(promptOf(['files'], 100_000)).toBe(plain + 75_000);
  expect(promptOf(['files', 'persona', 'memory'], 1_000)).toBe(1_000);
});
