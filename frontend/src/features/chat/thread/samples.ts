import type { AttachedFile, UserFile } from '@stolas/backend/contract';
import { language } from '../../../i18n/language.ts';
import { apiPostFile } from '../../../lib/api.ts';

/** The sample files, in the languages that have them. */
const SAMPLES = {
  en: ['lease-2024.md', 'lease-2025.md', 'annual-report-2025.md'],
  de: ['mietvertrag-2024.md', 'mietvertrag-2025.md', 'jahresbericht-2025.md'],
} as const;

export type Sample = 'lease2024' | 'lease2025' | 'report';
const ORDER: readonly Sample[] = ['lease2024', 'lease2025', 'report'];

/**
 * Stores sample files as files of the user, who may attach them all: a guest's limit does not count them.
 * @param signal ends the loading of those that are not stored yet
 * @throws TypeError without a network; Error when the server does not have them; ApiError when it does not store them
 */
export const storeSamples = (
  samples: readonly Sample[],
  signal: AbortSignal,
): Promise<UserFile[]> =>
  Promise.all(
    samples.map(async (sample) => {
      const tag = language() === 'de' ? 'de' : 'en';
      const name = SAMPLES[tag][ORDER.indexOf(sample)] ?? '';
      const answer = await fetch(`/samples/${tag}/${name}`, { signal });
      if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
      const form = new FormData();
      form.append('file', new File([await answer.arrayBuffer()], name, { type: 'text/markdown' }));
      const { file } = await apiPostFile<AttachedFile>('/api/files?purpose=chat', form);
      return file;
    }),
  );
