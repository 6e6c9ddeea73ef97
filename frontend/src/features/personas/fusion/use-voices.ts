import type { FusePersonasBody } from '@stolas/backend/contract';
import { useDelayed } from '../../../lib/use-delayed.ts';
import type { Subject } from '../trial/subjects.ts';
import { sharesInWords } from './members.ts';

/** A draft is kept for each fusion that is requested: none while the bar is being dragged. */
const DELAY_MS = 400;

/** The participants in the trial of a fusion: its members, and the fusion. Null until it is complete. */
export function useVoices(
  fusion: FusePersonasBody,
  { names, isReady }: { names: readonly string[]; isReady: boolean },
): Subject[] | null {
  const members = fusion.members.map(({ id, weight }, at) => ({
    id,
    weight,
    name: names[at] ?? '',
  }));
  const voices: Subject[] = [
    ...members.map(({ id, name }) => ({ name, personaId: id })),
    { name: sharesInWords(members), draft: { fusion } },
  ];
  const delayed = useDelayed(isReady ? JSON.stringify(voices) : '', DELAY_MS);
  return delayed === '' ? null : (JSON.parse(delayed) as Subject[]);
}
