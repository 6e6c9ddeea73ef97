import { describe, expect, it } from 'vitest';
import type { PromptMessage } from './port.ts';
import { fitPrompt } from './prompt.ts';
import { countPromptTokens } from './tokens.ts';

const system: PromptMessage = { role: 'system', content: 'Be kind.' };
const user = (content: string): PromptMessage => ({ role: 'user', content });
const assistant = (content: string): PromptMessage => ({ role: 'assistant', content });
const prose = (words: number) => 'word '.repeat(words).trim();

describe('fitPrompt', () => {
  it('sends the whole conversation when it fits', async () => {
    const all = [system, user('Hello'), assistant('Hi'), user('How are you?')];
    expect(await fitPrompt(all, { budgetTokens: 500 })).toEqual(all);
  });

  it('drops the oldest messages first and keeps the order', async () => {
    const earlier = Array.from({ length: 40 }, (_, n) =>
      n % 2 === 0 ? user(`${n} ${prose(50)}`) : assistant(`${n} ${prose(50)}`),
    );
    const fitted = await fitPrompt([system, ...earlier, user('now')], { budgetTokens: 500 });
    expect(fitted[0]).toEqual(system);
    expect(fitted.at(-1)).toEqual(user('now'));
    expect(fitted.slice(1, -1)).toEqual(earlier.slice(-(fitted.length - 2)));
    expect(fitted.length).toBeGreaterThan(6);
    expect(await countPromptTokens(fitted)).toBeLessThanOrEqual(500);
  });

  it('never begins with a message of the assistant', async () => {
    const fitted = await fitPrompt(
      [system, user(prose(600)), assistant('short'), user('and now?')],
      {
        budgetTokens: 500,
      },
    );
    expect(fitted).toEqual([system, user('and now?')]);
  });

  it('stops at the first message that does not fit instead of leaving a gap', async () => {
    const fitted = await fitPrompt(
      [user('old'), assistant(prose(600)), user('newer'), assistant('yes'), user('last')],
      {
        budgetTokens: 500,
      },
    );
    expect(fitted).toEqual([user('newer'), assistant('yes'), user('last')]);
  });

  it('leaves out the middle of a last message that is too long by itself', async () => {
    const question = `What is this? ${prose(5_000)} Please answer.`;
    const fitted = await fitPrompt([system, user(prose(100)), user(question)], {
      budgetTokens: 500,
    });
    expect(fitted).toHaveLength(2);
    const content = fitted[1]?.content ?? '';
    expect(content).toMatch(
      /^What is this\? [^]*\[… \d+ characters left out here …\][^]*Please answer\.$/,
    );
    expect(await countPromptTokens(fitted)).toBeLessThanOrEqual(500);
    expect(await countPromptTokens(fitted)).toBeGreaterThan(400);
  });

  it('cuts no character in half', async () => {
    const fitted = await fitPrompt([user('🦉'.repeat(9_000))], { budgetTokens: 500 });
    expect(fitted[0]?.content).not.toMatch(/\p{Surrogate}/u);
    expect(await countPromptTokens(fitted)).toBeLessThanOrEqual(500);
  });

  it('keeps the last message readable under a system prompt that takes the whole budget', async () => {
    const fitted = await fitPrompt(
      [{ role: 'system', content: prose(900) }, user('Still there?')],
      {
        budgetTokens: 500,
      },
    );
    expect(fitted.at(-1)).toEqual(user('Still there?'));
  });

  it('keeps the question before a reply that is to be continued, and the reply itself when nothing else fits', async () => {
    const question = user('Tell me more');
    const begun = assistant('It began');
    expect(await fitPrompt([question, begun], { budgetTokens: 500 })).toEqual([question, begun]);
    expect(await fitPrompt([user(prose(900)), begun], { budgetTokens: 500 })).toEqual([begun]);
  });
});
