import { describe, expect, it } from 'vitest';
import { extractPrompt } from '../../../src/features/claims/extract.ts';
import { judgePrompt } from '../../../src/features/claims/judge.ts';
import {
  Comparisons,
  comparisonPrompt,
  verifiedComparisons,
} from '../../../src/features/files/citations/found-comparisons.ts';
import type { PromptMessage } from '../../../src/llm/index.ts';
import { structuredAnswer } from './index.ts';

const ask = (name: string, messages: PromptMessage[]) => {
  const textOf = (role: string) =>
    messages
      .filter((message) => message.role === role)
      .map(({ content }) => content)
      .join('\n\n');
  return structuredAnswer(name, { system: textOf('system'), user: textOf('user') });
};
const sentence = (text: string) => ({ start: 0, end: text.length, text });

describe('structured answers of the demo model about claims', () => {
  it('each sentence is a claim; opinions are not checkable', () => {
    const sentences = [
      'The rent is 900 euros.',
      'I think it is cheap.',
      'Demo model: no AI wrote this.',
    ];
    expect(ask('claim_extraction', extractPrompt(sentences.map(sentence)))).toEqual({
      claims: [
        { id: 'c1', sentence: 1, text: sentences[0], checkable: true, reason: '' },
        { id: 'c2', sentence: 2, text: sentences[1], checkable: false, reason: 'an opinion' },
      ],
    });
  });

  it('the same numbers support, others contradict, and other words are insufficient', () => {
    const text = 'The flat is old. The rent is 900 euros a month.';
    const source = { kind: 'message' as const, messageId: 'm', start: 0, end: text.length };
    const messages = judgePrompt({
      claims: [
        { id: 'c1', text: 'The rent is 900 euros.' },
        { id: 'c2', text: 'The rent is 950 euros.' },
        { id: 'c3', text: 'The tower has seventeen lanterns.' },
        { id: 'c4', text: 'The rent is not 900 euros a month.' },
      ],
      passages: [{ id: 'p1', label: 'a message', text, source }],
      replyId: 'r',
    });
    const evidence = [{ passageId: 'p1', quote: 'The rent is 900 euros a month.' }];
    expect(ask('claim_verdicts', messages)).toEqual({
      verdicts: [
        { claimId: 'c1', relation: 'supports', evidence },
        { claimId: 'c2', relation: 'contradicts', evidence },
        { claimId: 'c3', relation: 'insufficient', evidence: [] },
        { claimId: 'c4', relation: 'contradicts', evidence },
      ],
    });
  });
});

describe('structured answers of the demo model about files', () => {
  const cite = (n: number, fileName: string, quote: string) => {
    const place = { page: 1, start: 0, end: quote.length, quote };
    return { n, fileId: fileName, fileName, sha256: '', ...place };
  };

  it('quotations that are equal except for a few words differ in these, in any language', () => {
    const citations = [
      cite(1, 'alt.pdf', 'Die Kündigungsfrist beträgt drei Monate.'),
      cite(2, 'neu.pdf', 'Die Kündigungsfrist beträgt sechs Monate.'),
      cite(3, 'neu.pdf', 'Die Kündigungsfrist beträgt zwölf Monate.'),
      cite(4, 'alt.pdf', 'Haustiere sind erlaubt.'),
    ];
    const messages = comparisonPrompt({ question: 'Was ist anders?', citations, replyId: 'r' });
    const answer = Comparisons.parse(ask('file_comparisons', messages));
    expect(answer.comparisons[0]).toEqual({
      topic: 'Kündigungsfrist',
      sides: [
        { quoteId: 'q1', value: 'drei Monate' },
        { quoteId: 'q2', value: 'sechs Monate' },
      ],
    });
    expect(verifiedComparisons(answer, citations)).toHaveLength(2);
  });
});

describe('what the demo model remembers', () => {
  const textsOf = (typed: string) => {
    const user = JSON.stringify({ typed, memories: [] });
    const { ops } = structuredAnswer('memory_ops', { system: '', user }) as {
      ops: { text: string; quote: string }[];
    };
    expect(ops.every(({ quote }) => typed.includes(quote))).toBe(true);
    return ops.map(({ text }) => text);
  };

  it.each([
    ['I am allergic to peanuts.', ['I am allergic to peanuts']],
    ['Ich bin allergisch gegen Nüsse.', ['Ich bin allergisch gegen Nüsse']],
    ['I live in Oslo and I’m allergic to nuts.', ['I live in Oslo', 'I’m allergic to nuts']],
    ['Ich wohne in Rom und ich mag Tee.', ['Ich wohne in Rom', 'ich mag Tee']],
    ['I like tea and toast.', ['I like tea and toast']],
    ['Remember that I prefer short answers with a table.', ['I prefer short answers with a table']],
    ['What do I like?', []],
  ])('of %j is %j', (typed, texts) => {
    expect(textsOf(typed)).toEqual(texts);
  });
});
