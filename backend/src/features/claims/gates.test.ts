import { describe, expect, it, vi } from 'vitest';
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
const verdictOf = async (claim: string, judgement = judged()) => {
  const { verdict, reason } = await decide(claim, judgement, [passage]);
  return [verdict, reason];
};

describe('decide', () => {
  it('supports a claim by a quotation, whose text and place are those of the source', async () => {
    const quote = 'the  rent is 900 euros'.replace('the', 'The');
    expect(await decide('The rent is 900 euros.', judged(quote), [passage])).toEqual({
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
  ])('drops a quotation %s', async (_, judgement) => {
    expect(await decide('The rent is 900 euros.', judgement, [passage])).toMatchObject({
      verdict: 'unsupported',
      reason: 'no_evidence',
      evidence: [],
    });
  });

  it('takes a name from another passage of the same file, not from another file', async () => {
    const claim = 'The rent of Tom Riddle is 900 euros.';
    const head = { ...passage, id: 'p2', text: 'Tenant: Tom Riddle, born in 1926.' };
    const ofOther = { ...head, source: { ...passage.source, fileId: 'g' } };
    expect(await decide(claim, judged(), [passage, head])).toMatchObject({ verdict: 'supported' });
    expect(await decide(claim, judged(), [passage, ofOther])).toMatchObject({
      verdict: 'unsupported',
      reason: 'name_not_in_source',
    });
  });

  it('reads the words of a passage once for all its claims', async () => {
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
      await decide(`The rent that ${name} pays is 900 euros.`, judged(), passages);
    // Once for its words, and once for the years in the name of its file.
    expect(reads).toBe(2 * passages.length);
  });

  it('gives other work a turn for each quotation and passage, however many there are', async () => {
    const passages = Array.from({ length: 36 }, (_, at) => ({ ...passage, id: `p${at + 1}` }));
    const evidence = passages.slice(0, 20).map(({ id }) => ({ passageId: id, quote: RENT }));
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    await decide(
      'Anna pays 900 euros on 3 May 2027.',
      { relation: 'supports', evidence },
      passages,
    );
    isDone = true;
    expect(turns).toBeGreaterThanOrEqual(2 * evidence.length);
  });

  it('never gives more than some hundred characters to the segmenter, whatever the passages are', async () => {
    const head = 'Musterbau GmbH Annual Report';
    const passages = Array.from({ length: 36 }, (_, at) => ({
      ...passage,
      id: `p${at + 1}`,
      text: `${head} ${'größer als '.repeat(140)}`,
    }));
    const evidence = passages.slice(0, 20).map(({ id }) => ({ passageId: id, quote: head }));
    const segment = vi.spyOn(Intl.Segmenter.prototype, 'segment');
    await decide(
      'It says that Anna Weber is the owner.',
      { relation: 'supports', evidence },
      passages,
    );
    const sizes = segment.mock.calls.map(([text]) => text.length);
    segment.mockRestore();
    expect(sizes.length).toBeGreaterThan(36);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(600);
  });

  it('quotes the date that stands above a quotation without one, and refuses another', async () => {
    const text = 'Results of 2025 in short. Revenue was 12 million euros. Costs fell.';
    const report = { ...passage, text };
    const judgement = judged('Revenue was 12 million euros.');
    const claim = 'In 2025 revenue was 12 million euros.';
    expect((await decide(claim, judgement, [report])).evidence.map(({ quote }) => quote)).toEqual([
      'Revenue was 12 million euros.',
      'Results of 2025 in short.',
    ]);
    const wrong = await decide(claim.replace('2025', '2024'), judgement, [report]);
    expect(wrong.reason).toBe('number_not_in_source');
    const other = { ...report, text: `${text} Revenue of 2024 was 11 million euros.` };
    const rival = judged('Revenue of 2024 was 11 million euros.');
    const moved = 'In 2025 revenue was 11 million euros.';
    expect((await decide(moved, rival, [other])).reason).toBe('number_not_in_source');
    const named = {
      ...report,
      text: 'Revenue was 12 million euros.',
      label: '"Report 2024.pdf", page 1',
    };
    expect(
      (await decide('In 2024 revenue was 12 million euros.', judgement, [named])).verdict,
    ).toBe('supported');
  });

  it('quotes the quarter that stands above a quotation without one, and refuses another', async () => {
    const text =
      'Results of the third quarter in short. The year 2025 was good. In Q3 revenue was 12 million euros. Costs were 9 million euros on 30 September.';
    const report = { ...passage, text };
    const of = async (quote: string, claim: string, label = passage.label) => {
      const { reason, evidence } = await decide(claim, judged(quote), [{ ...report, label }]);
      return reason ?? evidence.map((one) => one.quote);
    };
    const revenue = 'revenue was 12 million euros';
    expect(await of(revenue, 'In Q3 revenue was 12 million euros.')).toEqual([
      revenue,
      'Results of the third quarter in short.',
    ]);
    expect(await of(revenue, 'In Q2 revenue was 12 million euros.')).toBe('number_not_in_source');
    // A quarter and a year are no rivals.
    const inQuarter = 'In Q3 revenue was 12 million euros.';
    expect(await of(inQuarter, 'In Q3 2025 revenue was 12 million euros.')).toEqual([
      inQuarter,
      'The year 2025 was good.',
    ]);
    expect(await of(inQuarter, 'In Q2 2025 revenue was 12 million euros.')).toBe(
      'number_not_in_source',
    );
    const label = '"Report_Q2_FY24.pdf", page 1';
    expect(await of(revenue, 'In Q2 2024 revenue was 12 million euros.', label)).toEqual([revenue]);
    // The report of a quarter also says what the one before was, by its months.
    const costs = 'Costs were 9 million euros on 30 September.';
    expect(await of(costs, 'In Q3 costs were 9 million euros.', label)).toEqual([costs]);
  });

  it('removes support when a number, name or every word is absent from the source', async () => {
    expect(await verdictOf('The rent is 950 euros.')).toEqual([
      'unsupported',
      'number_not_in_source',
    ]);
    expect(await verdictOf('The rent for Peter Miller is 900 euros.')).toEqual([
      'unsupported',
      'name_not_in_source',
    ]);
    expect(await verdictOf('Dogs bark loudly.')).toEqual(['unsupported', 'few_words_in_common']);
    expect(await verdictOf('The rent that Anna pays is 900 euros.')).toEqual([
      'supported',
      undefined,
    ]);
  });

  it('a contradiction waits for a second judgement with its own quotation', async () => {
    const claim = 'The rent is 950 euros.';
    const pending = await decide(claim, judged(RENT, 'contradicts'), [passage]);
    expect(pending).toMatchObject({ verdict: 'contradicted', isPending: true });
    expect(await confirm(pending, judged(RENT, 'contradicts'), [passage])).toMatchObject({
      verdict: 'contradicted',
      isPending: false,
    });
    for (const second of [
      undefined,
      judged(RENT),
      judged(RENT, 'insufficient'),
      judged('The rent is 950 euros a month.', 'contradicts'),
    ])
      expect(await confirm(pending, second, [passage])).toMatchObject({
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
  const reasonOf = async (claim: string, source = owl.source) =>
    (await decide(claim, judged(), [{ ...owl, source }])).reason ?? 'supported';

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
  ])('is no value when that place is cited: %s', async (claim) => {
    expect(await reasonOf(claim)).toBe('supported');
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
  ])(
    'is one when another place is cited, and beside it every other number is: %s',
    async (claim) => {
      expect(await reasonOf(claim)).toBe('number_not_in_source');
    },
  );

  it('is one of a message of the user, which has no pages', async () => {
    const source = { kind: 'message', messageId: 'm', start: 0, end: 90 } as const;
    expect(await reasonOf('On page 37 the rent is 900 euros.', source)).toBe(
      'number_not_in_source',
    );
  });
});
