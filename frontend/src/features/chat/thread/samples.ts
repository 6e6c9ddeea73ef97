import { language } from '../../../i18n/language.ts';

/** The sample files, in the languages that have them. */
const SAMPLES = {
  en: ['lease-2024.md', 'lease-2025.md', 'annual-report-2025.md'],
  de: ['mietvertrag-2024.md', 'mietvertrag-2025.md', 'jahresbericht-2025.md'],
} as const;

export type Sample = 'lease2024' | 'lease2025' | 'report';
const ORDER: readonly Sample[] = ['lease2024', 'lease2025', 'report'];

/**
 * Loads sample files. Where a message takes one file only, as a guest's, they are joined.
 * @throws TypeError without a network; Error when the server does not have them
 */
export async function loadSamples(
  samples: readonly Sample[],
  { maxFiles }: { maxFiles: number | null },
): Promise<File[]> {
  const tag = language() === 'de' ? 'de' : 'en';
  const files = await Promise.all(
    samples.map(async (sample) => {
      const name = SAMPLES[tag][ORDER.indexOf(sample)] ?? '';
      const answer = await fetch(`/samples/${tag}/${name}`);
      if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
      return { name, text: await answer.text() };
    }),
  );
  if (maxFiles !== 1 || files.length === 1)
    return files.map(({ name, text }) => fileOf(name, text));
  const stem = ({ name }: { name: string }) => name.replace(/\.md$/, '');
  const joined = files.map(({ text }) => text).join('\n\n');
  return [fileOf(`${files.map(stem).join('-')}.md`, joined)];
}

const fileOf = (name: string, text: string): File =>
  new File([text], name, { type: 'text/markdown' });
