import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { FusePersonasBody, PersonaFields } from '../../../contract/personas.ts';
import { compilePersona } from '../compile/compile.ts';
import { traitInWords } from '../compile/traits.ts';
import { fieldsOf } from '../personas.fixture.ts';
import { READY_MADE } from '../ready-made/index.ts';
import type { FusionMember } from './choose.ts';
import { fusePersonas } from './fuse.ts';
import { shareOut } from './shares.ts';

const member = (
  id: string,
  weight: number,
  changes: Partial<PersonaFields> = {},
): FusionMember => ({
  id,
  weight,
  persona: fieldsOf({ name: id.toUpperCase(), ...changes }),
});
const rule = (topic: string, text: string) => ({ topic, text });

/** Numbers from 0 to 1, the same in each run (Park and Miller). */
function createRandom(seed: number) {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** Members with all kinds of overlaps, and weights that sum to 100. */
function* cases(count: number) {
  const random = createRandom(5);
  const below = (most: number) => Math.floor(random() * most);
  const some = <T>(most: number, make: () => T) => Array.from({ length: below(most + 1) }, make);
  const topics = ['', 'length', 'Length ', 'tone', 'facts', 'format', 'names', 'ünïcode'];
  const anyRule = () => rule(topics[below(topics.length)] ?? '', `Rule ${below(15)}.`);
  for (let at = 0; at < count; at += 1) {
    const size = 2 + below(3);
    const cuts = Array.from({ length: size - 1 }, () => below(101)).toSorted((a, b) => a - b);
    const weights = [...cuts, 100].map((cut, i) => cut - (cuts[i - 1] ?? 0));
    yield weights.map((weight, i) =>
      member(`m${i}`, weight, {
        role: some(1, () => `Role ${i}`).join(''),
        description: some(3, () => `Fact ${below(9)}.`).join('\n'),
        instructions: some(4, () => `Step ${below(9)}.`).join('\n\n'),
        traits: {
          warmth: below(101),
          formality: below(101),
          verbosity: below(101),
          directness: below(101),
          humour: below(101),
        },
        tone: some(
          6,
          () => ['calm', 'Calm', 'frank', 'warm', 'dry', 'exact', 'kind', 'brief'][below(8)] ?? '',
        ),
        do: some(12, anyRule),
        dont: some(12, anyRule),
        examples: some(2, () => ({ user: `Q${below(9)}`, assistant: `A${i}` })),
      }),
    );
  }
}

describe('any fusion', () => {
  it('gives the same bytes again, and its hash is that of the prompt', () => {
    for (const members of cases(200)) {
      const fused = fusePersonas(members);
      expect(fusePersonas(structuredClone(members))).toEqual(fused);
      expect(fused.sha256).toBe(createHash('sha256').update(fused.prompt).digest('hex'));
    }
  });

  it('of weight 100 and 0 is the single persona, at any place', () => {
    for (const [first, second] of cases(200)) {
      if (!first || !second) continue;
      const alone = compilePersona(first.persona);
      const [all, none] = [
        { ...first, weight: 100 },
        { ...second, weight: 0 },
      ];
      expect(fusePersonas([all, none]).prompt).toBe(alone);
      expect(fusePersonas([none, all]).prompt).toBe(alone);
    }
  });

  it('has a provenance for every line, and only headings have no member', () => {
    for (const members of cases(200)) {
      const { prompt, provenance } = fusePersonas(members);
      expect(provenance.map(({ line }) => line).join('\n')).toBe(prompt);
      const counted = members.filter(({ weight }) => weight > 0).map(({ id }) => id);
      for (const { from, rule, over } of provenance) {
        expect(from.length > 0).toBe(rule !== 'frame');
        expect(counted).toEqual(expect.arrayContaining([...from, ...over]));
      }
    }
  });

  it('has each line that came from members in one of them', () => {
    for (const members of cases(100)) {
      const byId = new Map(members.map((it) => [it.id, it.persona]));
      for (const { line, from, rule } of fusePersonas(members).provenance) {
        if (rule !== 'share' && rule !== 'union') continue;
        for (const id of from) {
          const persona = byId.get(id);
          const words = [
            ...(persona?.tone ?? []),
            ...[...(persona?.do ?? []), ...(persona?.dont ?? [])].map(({ text }) => text),
          ];
          expect(words.some((word) => line.toLowerCase().includes(word.toLowerCase()))).toBe(true);
        }
      }
    }
  });

  it('saved as a persona compiles to the same bytes, and keeps to the limits', () => {
    for (const members of cases(200)) {
      const { persona, prompt } = fusePersonas(members, 'Both');
      expect(PersonaFields.parse(persona)).toEqual(persona);
      expect(compilePersona(persona)).toBe(prompt);
    }
  });

  it('has no `do` on the topic of a `dont`, and each topic from one member', () => {
    for (const members of cases(200)) {
      const { persona, provenance } = fusePersonas(members);
      const key = (topic: string) => topic.trim().toLowerCase();
      const vetoes = new Set(persona.dont.map(({ topic }) => key(topic)).filter(Boolean));
      const does = provenance.filter(({ rule }) => rule === 'share').slice(0, persona.do.length);
      const owners = new Map<string, Set<string>>();
      for (const [at, { topic }] of persona.do.entries()) {
        expect(vetoes.has(key(topic))).toBe(false);
        if (key(topic) !== '')
          owners.set(
            key(topic),
            (owners.get(key(topic)) ?? new Set()).add(does[at]?.from[0] ?? ''),
          );
      }
      for (const ids of owners.values()) expect(ids.size).toBe(1);
    }
  });
});

describe('a fusion', () => {
  it('words the weighted mean of each trait', () => {
    const traits = { warmth: 100, formality: 0, verbosity: 50, directness: 50, humour: 50 };
    const { prompt } = fusePersonas([
      member('a', 75, { traits }),
      member('b', 25, { traits: { ...traits, warmth: 0, formality: 100 } }),
    ]);
    expect(prompt).toContain(`- ${traitInWords('warmth', 75)}`);
    expect(prompt).toContain(`- ${traitInWords('formality', 25)}`);
  });

  it('says nothing of a trait whose mean is 50', () => {
    const traits = { warmth: 100, formality: 0, verbosity: 50, directness: 50, humour: 50 };
    const even = fusePersonas([
      member('a', 50, { traits }),
      member('b', 50, { traits: { ...traits, warmth: 0 } }),
    ]);
    const { provenance } = even;
    expect(
      provenance.filter(({ rule }) => rule === 'weighted_mean').map(({ line }) => line),
    ).toEqual([`- ${traitInWords('formality', 0)}`]);
  });

  it('gives a topic to the higher weight, of equal ones to the first, and names the others', () => {
    const [short, long] = [{ do: [rule('Length', 'Short.')] }, { do: [rule('length ', 'Long.')] }];
    const higher = fusePersonas([member('a', 40, short), member('b', 60, long)]);
    expect(higher.persona.do).toEqual(long.do.map(({ text }) => rule('length', text)));
    expect(higher.provenance.find(({ line }) => line.includes('Long.'))).toMatchObject({
      from: ['b'],
      over: ['a'],
    });
    expect(higher.dropped).toContainEqual({ line: 'Short.', from: 'a', reason: 'same_topic' });
    const equal = fusePersonas([member('a', 50, short), member('b', 50, long)]);
    expect(equal.persona.do).toEqual(short.do);
  });

  it('lets a `dont` of the lowest weight veto a `do` of the highest', () => {
    const { persona, dropped, provenance } = fusePersonas([
      member('a', 99, { do: [rule('jokes', 'Joke.'), rule('', 'Be kind.')] }),
      member('b', 1, { dont: [rule('Jokes', 'Joke.')] }),
    ]);
    expect(persona.do).toEqual([rule('', 'Be kind.')]);
    expect(dropped).toContainEqual({ line: 'Joke.', from: 'a', reason: 'vetoed' });
    expect(provenance.find(({ rule }) => rule === 'union')).toMatchObject({
      from: ['b'],
      over: ['a'],
    });
  });

  it('takes examples, role and instructions of the highest weight only', () => {
    const texts = (who: string) => ({
      role: `Role ${who}`,
      instructions: `Do ${who}.`,
      examples: [{ user: `Q ${who}`, assistant: 'A' }],
    });
    const { prompt, dropped } = fusePersonas([
      member('a', 30, texts('a')),
      member('b', 70, texts('b')),
    ]);
    expect(prompt).toMatch(/Role b[^]*Do b\.[^]*Q b/);
    expect(prompt).not.toMatch(/Role a|Do a|Q a/);
    expect(dropped.map(({ line, reason }) => [line, reason])).toEqual(
      ['Role a', 'Do a.', 'Q a'].map((line) => [line, 'lower_weight']),
    );
  });

  it('distributes tone by weight, and gives free slots to the others', () => {
    const tone = (who: string, count: number) =>
      Array.from({ length: count }, (_, at) => `${who}${at}`);
    const fuse = (a: number, b: number) =>
      fusePersonas([
        member('a', 67, { tone: tone('a', a) }),
        member('b', 33, { tone: tone('b', b) }),
      ]).persona.tone;
    expect(fuse(6, 6)).toEqual(['a0', 'a1', 'a2', 'a3', 'b0', 'b1']);
    expect(fuse(1, 6)).toEqual(['a0', 'b0', 'b1', 'b2', 'b3', 'b4']);
  });

  it('works with all ready-made personas', () => {
    const members = READY_MADE.slice(0, 4).map((persona) => ({
      id: persona.id,
      weight: 25,
      persona: PersonaFields.parse(persona),
    }));
    expect(fusePersonas(members, 'Four').prompt).toContain('“Four”');
  });
});

describe('sharing out', () => {
  it.each([
    [6, [67, 33], [4, 2]],
    [6, [50, 50], [3, 3]],
    [5, [50, 50], [3, 2]],
    [12, [40, 30, 20, 10], [5, 4, 2, 1]],
    [6, [1, 99], [0, 6]],
    [6, [100, 0], [6, 0]],
  ])('%i slots by %j is %j', (slots, weights, shares) => {
    expect(shareOut(slots, weights)).toEqual(shares);
  });

  it('always distributes all slots, and none to a weight of 0', () => {
    const random = createRandom(3);
    for (let round = 0; round < 500; round += 1) {
      const weights = Array.from({ length: 4 }, () => Math.floor(random() * 50));
      if (weights.every((weight) => weight === 0)) continue;
      const slots = Math.floor(random() * 13);
      const shares = shareOut(slots, weights);
      expect(shares.reduce((sum, share) => sum + share, 0)).toBe(slots);
      expect(shares.filter((_, at) => weights[at] === 0).every((share) => share === 0)).toBe(true);
    }
  });
});

describe('the members of a request', () => {
  const id = (at: number) => `${at}`.padStart(24, '0');
  it.each([
    [[[1, 100]], false],
    [
      [
        [1, 50],
        [2, 50],
      ],
      true,
    ],
    [
      [
        [1, 100],
        [2, 0],
      ],
      true,
    ],
    [
      [
        [1, 50],
        [2, 49],
      ],
      false,
    ],
    [
      [
        [1, 50],
        [1, 50],
      ],
      false,
    ],
    [
      [
        [1, 50.5],
        [2, 49.5],
      ],
      false,
    ],
    [
      [
        [1, 20],
        [2, 20],
        [3, 20],
        [4, 20],
        [5, 20],
      ],
      false,
    ],
  ])('%j: %s', (members, isValid) => {
    const body = { members: members.map(([at, weight]) => ({ id: id(at ?? 0), weight })) };
    expect(FusePersonasBody.safeParse(body).success).toBe(isValid);
  });
});

it('has the model that all members with a weight name, else the default one', () => {
  const modelOf = (...members: FusionMember[]) => fusePersonas(members).persona.model;
  const [owl, other, plain] = [{ model: 'owl-1' }, { model: 'owl-2' }, {}];
  expect(modelOf(member('a', 60, owl), member('b', 40, owl))).toBe('owl-1');
  expect(modelOf(member('a', 100, owl), member('b', 0, other))).toBe('owl-1');
  expect(modelOf(member('a', 60, owl), member('b', 40, other))).toBeNull();
  expect(modelOf(member('a', 60, owl), member('b', 40, plain))).toBeNull();
});
