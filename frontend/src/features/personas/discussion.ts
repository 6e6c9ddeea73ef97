import { t } from 'virtual:texts/personaPanel';
import type { PersonaSummary } from '@stolas/backend/contract';
import { queryClient } from '../../lib/query-client.ts';
import { updatePersona } from '../../realtime/index.ts';
import { personasQuery, saveFusion } from './api.ts';
import { isLimit } from './limit-notice.tsx';
import { personaOfNewChat, setPanelOfNewChat, setPersonaOfNewChat } from './new-chat.ts';

/** Positions among the ready-made personas, and their shares. */
const MEMBERS = [
  { at: 2, weight: 70 },
  { at: 3, weight: 30 },
];

/** The fusion that was last chosen here: it does not answer another starter prompt. */
let chosen: string | null = null;

/**
 * Makes two ready-made personas answer the next conversation as a panel. Their fusion is saved once, like any other of
 * the user's. Without room for it in the plan, no persona is chosen, nor after `signal`.
 */
export async function chooseDiscussion(signal: AbortSignal): Promise<void> {
  const personas = await queryClient.fetchQuery(personasQuery);
  const ready = personas.filter(({ isReadyMade }) => isReadyMade);
  const members = MEMBERS.map(({ at, weight }) => ({ id: ready[at]?.id ?? '', weight }));
  const fusion = personas.find((persona) => hasMembers(persona, members)) ?? (await save(members));
  if (!fusion || signal.aborted) return;
  chosen = fusion.id;
  setPersonaOfNewChat(fusion.id);
  setPanelOfNewChat({ synthesis: true });
}

/** Takes that choice back, unless the user has chosen another persona since. */
export function endDiscussion(): void {
  if (chosen !== null && personaOfNewChat().personaId === chosen) setPersonaOfNewChat(null);
  chosen = null;
}

type Members = readonly { id: string; weight: number }[];

const hasMembers = ({ fusion }: PersonaSummary, members: Members): boolean =>
  fusion?.members.length === members.length &&
  members.every(({ id }) => fusion.members.some((member) => member.id === id));

async function save(members: Members): Promise<PersonaSummary | undefined> {
  try {
    const saved = await saveFusion({ name: t('discussion'), members: [...members] });
    updatePersona(queryClient, saved);
    return saved;
  } catch (error) {
    if (isLimit(error)) return undefined;
    throw error;
  }
}
