import { expect, it } from 'vitest';
import { spokenSummary } from './spoken-summary.ts';

const complete = (text: string) =>
  spokenSummary({ status: 'complete', parts: [{ type: 'text', text }] });

it.each([
  ['Owls hoot at night. They also fly.', 'Owls hoot at night.'],
  ['## **Owls** and `mice`\n\nMore.', 'Owls and mice'],
  ['1. [Barn owls](https://example.org) hunt_by_ear _well_.', 'Barn owls hunt_by_ear well.'],
  [`Owls hoot [1](#source=${'a'.repeat(24)},1,0,9).`, 'Owls hoot .'],
  ['```ts\nconst owl = 1;\n```\n\nThat is it.', 'Code.'],
  ['| Owl | Prey |\n| --- | --- |\n| Barn | Mice |', 'Owl, Prey'],
  ['> - [x] ~~Done~~', '- [x] Done'],
  ['', ''],
])('says the first sentence of %j as plain text', (text, said) => {
  expect(complete(text)).toBe(`STOLAS replied. ${said}`.trim());
});

it('says at most 200 characters, and whole words', () => {
  const said = complete('Nightjar '.repeat(100));
  expect(said.length).toBeLessThanOrEqual(200);
  expect(said).toMatch(/ Nightjar…$/);
});

it('does not say the reasoning', () => {
  const parts = [
    { type: 'reasoning' as const, text: 'Let me think.' },
    { type: 'text' as const, text: 'Yes.' },
  ];
  expect(spokenSummary({ status: 'complete', parts })).toBe('STOLAS replied. Yes.');
});

it.each([
  ['failed', 'The reply failed. Try again later.'],
  ['interrupted', 'The reply was cut off. Try again later.'],
  ['stopped', 'The reply was stopped. Try again later.'],
] as const)('says why a reply that %s is not whole', (status, said) => {
  const error = { code: 'internal' as const, message: 'Try again later.' };
  expect(spokenSummary({ status, parts: [], error })).toBe(said);
});

it('says first that a reply reached its length limit', () => {
  const parts = [{ type: 'text' as const, text: 'Yes. I do.' }];
  expect(spokenSummary({ status: 'complete', ending: 'length', parts })).toBe(
    'The reply reached its length limit. STOLAS replied. Yes.',
  );
});

it('names the members of a panel before its first sentence', () => {
  const by = (personaName: string, text: string) => ({
    type: 'text' as const,
    text,
    personaId: personaName,
    personaName,
  });
  const parts = [by('Ada', 'Yes. I do.'), by('Ben', '\n\nNo.'), by('Ben', ' Never.')];
  expect(spokenSummary({ status: 'complete', parts })).toBe('A panel replied: Ada, Ben. Yes.');
});
