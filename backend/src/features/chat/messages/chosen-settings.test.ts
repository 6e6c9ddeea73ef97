import { expect, it } from 'vitest';
import type { ConversationRecord } from '../conversations/index.ts';
import { type SettingsOfSend, settingsOfSend } from './chosen-settings.ts';
import type { ChosenPersona } from './persona-choice.ts';

const OWNER = 'owner';
const ACTOR = { userId: OWNER, isGuest: false };
const CONVERSATION = {
  id: 'conversation',
  ownerId: OWNER,
  personaId: null,
  panel: null,
  depth: 'balanced',
  memory: 'on',
  temporary: false,
} as unknown as ConversationRecord;
const LIMITS = {
  contextTokens: 100_000,
  guestContextTokens: 4_000,
  maxReplyTokens: { fast: 250, balanced: 500, deep: 1_000 },
};

const persona = (id: string, more: Partial<ChosenPersona> = {}): ChosenPersona => ({
  id,
  name: id,
  version: 1,
  hasFiles: false,
  measure: () => Promise.reject(new Error('A send measures no persona.')),
  ...more,
});

/** The possible parts of a send's prompt besides the messages. */
async function partsOf(
  conversation: Partial<typeof CONVERSATION>,
  send: SettingsOfSend,
  personas: ChosenPersona[] = [],
) {
  const choose = async (_ownerId: string, id: string) =>
    personas.find((one) => one.id === id) ?? null;
  const chat = { limits: LIMITS, others: { personas: { choose } } };
  const accessed = Promise.resolve({ ...CONVERSATION, ...conversation });
  return (await settingsOfSend(chat, ACTOR, { accessed, send })).added.parts;
}

it('counts memories, and a persona that is chosen or remembered', async () => {
  const cook = persona('cook');
  expect(await partsOf({}, {})).toEqual(['memory']);
  expect(await partsOf({}, { personaId: 'cook' }, [cook])).toEqual(['persona', 'memory']);
  expect(await partsOf({ personaId: 'cook' }, {}, [cook])).toEqual(['persona', 'memory']);
  expect(await partsOf({ personaId: 'cook' }, {}, [])).toEqual(['memory']);
});

it.each([
  ['whose memory is off', { memory: 'off' as const }],
  ['that is temporary', { temporary: true }],
])('counts no memories for a conversation %s', async (_which, settings) => {
  expect(await partsOf(settings, {})).toEqual([]);
});

it('counts files when the persona, or a member of the panel, has some in its knowledge', async () => {
  const knowing = persona('knowing', { hasFiles: true });
  expect(await partsOf({}, { personaId: 'knowing' }, [knowing])).toContain('files');
  const both = persona('both', { members: [persona('a'), knowing] });
  expect(await partsOf({}, { personaId: 'both' }, [both])).not.toContain('files');
  const send = { personaId: 'both', panel: { synthesis: false } };
  expect(await partsOf({}, send, [both])).toContain('files');
});
