import { describe, expect, it } from 'vitest';
import { confirm, decide, type SourcePassage } from './gates.ts';

const TEXT = 'The rent is 900 euros a month. Anna Weber signed the lease on 3 May 2026.';
const passage: SourcePassage = {
  id: 'p1',
  label: '"lease.pdf", page 3',
  text: TEXT,
  source: { kind: 'file', fileId: 'f', fileName: 'lease.pdf', page: 3, start: 100, end: 200 },
};
const RENT = 'The rent is 900 euros a month.';
type Relation = 'supports' | 'contradicts' | 'insufficient';
const judged = (quote = RENT, relation: Relation = 'supports', passageId = 'p1') => ({
  relation,
  evidence: [{ passageId, quote }],
});
const verdictOf = (claim: string, judgement = judged()) => {
  const { verdict, reason } = decide(claim, judgement, [passage]);
  return [verdict, reason];
};

describe('decide', () => {
  it('supports a claim by a quotation, whose text and place are those of the source', () => {
    const quote = 'the  rent is 900 euros'.replace('the', 'The');
    expect(decide('The rent is 900 euros.', judged(quote), [passage])).toEqual({
      verdict: 'supported',
      evidence: [
        {
          quote: 'The rent is 900 euros',
          source: { ...passage.source, start: 100, end: 100 + 'The rent is 900 euros'.length },
        },
      ],
      isPending: false,
    });
  });

  it.each([
    ['that stands nowhere', judged('The rent is 901 euros a month.')],
    ['that is too short', judged('900 euros a')],
    ['that is long only by its white space', judged('900        euros')],
    ['of a passage that was not given', judged(RENT, 'supports', 'p2')],
    ['that is missing', { relation: 'supports' as const, evidence: [] }],
    ['of a claim that it calls insufficient', judged(RENT, 'insufficient')],
    ['of a claim without verdict', undefined],
  ])('drops a quotation %s', (_, judgement) => {
    expect(decide('The rent is 900 euros.', judgement, [passage])).toMatchObject({
      verdict: 'unsupported',
      reason: 'no_evidence',
      evidence: [],
    });
  });

  it('takes support away when a number, name or every word is absent from the source', () => {
    expect(verdictOf('The rent is 950 euros.')).toEqual(['unsupported', 'number_not_in_source']);
    expect(verdictOf('The rent for Peter Miller is 900 euros.')).toEqual([
      'unsupported',
      'name_not_in_source',
    ]);
    expect(verdictOf('Dogs bark loudly.')).toEqual(['unsupported', 'few_words_in_common']);
    expect(verdictOf('The rent that Anna pays is 900 euros.')).toEqual(['supported', undefined]);
  });

  it('a contradiction waits for a second judgement with a quotation of its own', () => {
    const claim = 'The rent is 950 euros.';
    const pending = decide(claim, judged(RENT, 'contradicts'), [passage]);
    expect(pending).toMatchObject({ verdict: 'contradicted', isPending: true });
    expect(confirm(pending, judged(RENT, 'contradicts'), [passage])).toMatchObject({
      verdict: 'contradicted',
      isPending: false,
    });
    for (const second of [
      undefined,
      judged(RENT),
      judged(RENT, 'insufficient'),
      judged('The rent is 950 euros a month.', 'contradicts'),
    ])
      expect(confirm(pending, second, [passage])).toMatchObject({
        verdict: 'unsupported',
        reason: 'not_confirmed',
        evidence: [],
      });
  });
});
