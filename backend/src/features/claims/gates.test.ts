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

  it('reads the words of a passage once for all its claims', () => {
    let reads = 0;
    const passages = Array.from({ length: 36 }, (_, at) => ({
      ...passage,
      id: `p${at + 1}`,
      get label() {
        reads += 1;
        return passage.label;
      },
    }));
    for (const name of ['Anna', 'Weber', 'Anna Weber', 'Peter'])
      decide(`The rent that ${name} pays is 900 euros.`, judged(), passages);
    // Once for its words, and once for the years in the name of its file.
    expect(reads).toBe(2 * passages.length);
  });

  it('removes support when a number, name or every word is absent from the source', () => {
    expect(verdictOf('The rent is 950 euros.')).toEqual(['unsupported', 'number_not_in_source']);
    expect(verdictOf('The rent for Peter Miller is 900 euros.')).toEqual([
      'unsupported',
      'name_not_in_source',
    ]);
    expect(verdictOf('Dogs bark loudly.')).toEqual(['unsupported', 'few_words_in_common']);
    expect(verdictOf('The rent that Anna pays is 900 euros.')).toEqual(['supported', undefined]);
  });

  it('a contradiction waits for a second judgement with its own quotation', () => {
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

describe('a number that says where the claim stands', () => {
  const text = '4.2 Rent\nThe rent is 900 euros a month. See section 7 for the heating.';
  const owl: SourcePassage = {
    id: 'p1',
    label: '"lease.pdf", page 37',
    text,
    source: { kind: 'file', fileId: 'f', fileName: 'lease.pdf', page: 37, start: 0, end: 90 },
  };
  const reasonOf = (claim: string, source = owl.source) =>
    decide(claim, judged(), [{ ...owl, source }]).reason ?? 'supported';

  it.each([
    'On page 37 the rent is 900 euros.',
    'The rent is 900 euros (p. 37).',
    'The rent is 900 euros (pp. 36–38).',
    'Auf Seite 37 steht, dass die Miete 900 Euro beträgt.',
    'Die Miete ist 900 Euro (S. 37).',
    'Slide 37 says that the rent is 900 euros.',
    'By section 4.2 the rent is 900 euros.',
    'By section 7 the rent is 900 euros.',
    'Nach Kapitel 7, Seite 37, ist die Miete 900 Euro.',
  ])('is no value when that place is cited: %s', (claim) => {
    expect(reasonOf(claim)).toBe('supported');
  });

  it.each([
    'On page 40 the rent is 900 euros.',
    'The rent is 900 euros (pp. 38–40).',
    'By section 4.3 the rent is 900 euros.',
    'By section 2 the rent is 900 euros.',
    'On page 37 the rent is 950 euros.',
    'Of 37 flats the rent is 900 euros.',
    'The rent of 37 pages is 900 euros.',
    'On page 37 kilometre 12 has a rent of 900 euros.',
  ])('is one when another place is cited, and beside it every other number is: %s', (claim) => {
    expect(reasonOf(claim)).toBe('number_not_in_source');
  });

  it('is one of a message of the user, which has no pages', () => {
    const source = { kind: 'message', messageId: 'm', start: 0, end: 90 } as const;
    expect(reasonOf('On page 37 the rent is 900 euros.', source)).toBe('number_not_in_source');
  });
});
