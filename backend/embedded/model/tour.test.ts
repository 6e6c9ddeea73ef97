import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { answerTo } from './answer.ts';
import type { PromptFiles } from './passages.ts';
import { claimVerdicts } from './structured/claim-verdicts.ts';

const FRONTEND = new URL('../../../frontend/', import.meta.url);
const STARTERS = ['Leases', 'Report', 'Page', 'Formula', 'Fusion', 'Memory'];

/** The starter prompt of the home screen, from the interface's texts. */
function promptOf(language: string, name: string): string {
  const texts = JSON.parse(
    readFileSync(new URL(`src/i18n/${language}.json`, FRONTEND), 'utf8'),
  ) as { chat: Record<string, string> };
  return texts.chat[`starter${name}`] ?? '';
}

/** A prompt with whole sample files, one passage each. */
const filesOf = (...paths: string[]): PromptFiles => ({
  passages: paths.map((path, at) => ({
    id: `p${at + 1}`,
    fileName: path,
    page: '1',
    text: readFileSync(new URL(`public/samples/${path}`, FRONTEND), 'utf8'),
  })),
  remarks: [],
});

const SAMPLES: Record<string, PromptFiles> = {
  en: filesOf('en/lease-2024.md', 'en/lease-2025.md', 'en/annual-report-2025.md'),
  de: filesOf('de/mietvertrag-2024.md', 'de/mietvertrag-2025.md', 'de/jahresbericht-2025.md'),
};

const textOf = (message: string, files: PromptFiles | null) =>
  answerTo({ message, images: 0, files, persona: null, begun: '' }).text;

const IN_EACH = Object.keys(SAMPLES).flatMap((language) =>
  STARTERS.map((name) => [language, name] as const),
);

it.each(IN_EACH)('has a written answer in %s to the starter %s', (language, name) => {
  const text = textOf(promptOf(language, name), SAMPLES[language] ?? null);
  expect(text.length).toBeGreaterThan(150);
  expect(text).not.toContain('You wrote');
});

it.each(['en', 'de'])('compares the leases in %s by quotations of both files', (language) => {
  const text = textOf(promptOf(language, 'Leases'), SAMPLES[language] ?? null);
  expect(text.match(/”\s\[p1\]/g)).toHaveLength(6);
  expect(text.match(/”\s\[p2\]/g)).toHaveLength(6);
});

it('answers as usual without the sample files', () => {
  expect(textOf(promptOf('en', 'Leases'), null)).toContain('You wrote');
  const other = {
    passages: [{ id: 'p1', fileName: 'a.md', page: '1', text: 'Nothing.' }],
    remarks: [],
  };
  expect(textOf(promptOf('en', 'Leases'), other)).toContain('not in your files');
});

it.each([
  ['How much did the planetarium earn?', '935,000'],
  ['What is the deposit of the lease?', 'The deposit is'],
  ['Who leads the planetarium?', 'Ada Marsh'],
  ['How much did tickets bring?', '604,000'],
])('answers %j from the sample files', (question, answer) => {
  expect(textOf(question, SAMPLES.en ?? null)).toContain(answer);
});

it.each(['en', 'de'])(
  'the mistake in the summary in %s is contradicted by the report',
  (language) => {
    const [, statement = ''] =
      /^- ([^“\n]+)$/m.exec(textOf(promptOf(language, 'Report'), SAMPLES[language] ?? null)) ?? [];
    const report = SAMPLES[language]?.passages[2]?.text ?? '';
    const token = '0123456789abcdef';
    const { verdicts } = claimVerdicts({
      system: `Each passage stands between a line "=== ${token} [id] ..." and its end.`,
      user: `[c1] ${statement}\n=== ${token} [p3] "report", page 1\n${report}\n=== ${token} end`,
    });
    expect(verdicts).toMatchObject([{ claimId: 'c1', relation: 'contradicts' }]);
  },
);
