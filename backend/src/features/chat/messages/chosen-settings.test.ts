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
  grants: [],
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
  ['that is shared', { grants: [{ principal: 'user:another', role: 'viewer' as const }] }],
])('counts no memories for a conversation %s', async (_which, settings) => {
  expect(await partsOf(settings, {})).toEqual([]);
});

it('lets others than the owner choose the persona of the conversation and ready-made ones, and no other of the owner', async () => {
  const choose = async (ownerId: string, id: string) =>
    id === 'ready-made' || ownerId === 'another' ? persona(id) : null;
  const chat = { limits: LIMITS, others: { personas: { choose } } };
  const conversation = { ...CONVERSATION, ownerId: 'another', personaId: 'of the conversation' };
  const chosen = async (personaId: string) => {
    const accessed = Promise.resolve(conversation);
    const { settings } = await settingsOfSend(chat, ACTOR, { accessed, send: { personaId } });
    return settings.persona?.id;
  };
  expect(await chosen('ready-made')).toBe('ready-made');
  expect(await chosen('of the conversation')).toBe('of the conversation');
  await expect(chosen('secret')).rejects.toMatchObject({ code: 'not_found' });
});

it('counts files when the persona, or a member of the panel, has some in its knowledge', async () => {
  const knowing = persona('knowing', { hasFiles: true });
  expect(await partsOf({}, { personaId: 'knowing' }, [knowing])).toContain('files');
  const both = persona('both', { members: [persona('a'), knowing] });
  expect(await partsOf({}, { personaId: 'both' }, [both])).not.toContain('files');
  const send = { personaId: 'both', panel: { synthesis: false } };
  expect(await partsOf({}, send, [both])).toContain('files');
});
