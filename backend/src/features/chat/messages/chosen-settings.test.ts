import { expect, it, vi } from 'vitest';
import { createSettingsChoice, type SettingsDeps } from './chosen-settings.ts';
import type { ChosenPersona } from './persona-choice.ts';

type Memories = SettingsDeps['memory']['promptBytesFor'];

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
} as unknown as Parameters<ReturnType<typeof createSettingsChoice>['ofReply']>[1];
const LIMITS = {
  contextTokens: 100_000,
  guestContextTokens: 4_000,
  maxReplyTokens: { fast: 250, balanced: 500, deep: 1_000 },
};

const persona = (id: string, more: Partial<ChosenPersona> = {}): ChosenPersona => ({
  id,
  name: id,
  version: 1,
  promptBytes: 100,
  ...more,
});

function choiceOf(
  personas: ChosenPersona[],
  memoriesOf: (personaId: string | null) => number = () => 0,
) {
  const promptBytesFor = vi.fn<Memories>(async (_ownerId, id) => memoriesOf(id));
  const choose = async (_ownerId: string, id: string) =>
    personas.find((one) => one.id === id) ?? null;
  const choice = createSettingsChoice({
    personas: { choose },
    memory: { promptBytesFor },
    limits: LIMITS,
  });
  return { ...choice, promptBytesFor };
}

it('reads how long the memories of a send are while its conversation is read, once', async () => {
  const { ofSend, promptBytesFor } = choiceOf([], () => 700);
  let found: (conversation: typeof CONVERSATION) => void = () => undefined;
  const accessed = new Promise<typeof CONVERSATION>((resolve) => (found = resolve));
  const choosing = ofSend(accessed, {}, ACTOR);
  expect(promptBytesFor.mock.calls).toEqual([[OWNER, null]]);
  found(CONVERSATION);
  const { addedBytes } = await choosing;
  expect(await addedBytes(async () => [])).toBe(700);
  expect(promptBytesFor).toHaveBeenCalledTimes(1);
});

it('counts the memories of the persona that the conversation remembers', async () => {
  const { ofSend } = choiceOf([persona('cook')], (id) => (id === 'cook' ? 900 : 5_000));
  const remembering = { ...CONVERSATION, personaId: 'cook' };
  const { addedBytes } = await ofSend(Promise.resolve(remembering), {}, ACTOR);
  expect(await addedBytes(async () => [])).toBe(100 + 900);
});

it.each([
  ['whose memory is off', { memory: 'off' as const }],
  ['that is temporary', { temporary: true }],
])('counts no memories for a conversation %s', async (_which, settings) => {
  const { ofSend } = choiceOf([], () => 700);
  const conversation = { ...CONVERSATION, ...settings };
  const { addedBytes } = await ofSend(Promise.resolve(conversation), {}, ACTOR);
  expect(await addedBytes(async () => [])).toBe(0);
});

it('reads the last messages once for a panel, and counts the longest prompt of it', async () => {
  const asked: (readonly string[])[] = [];
  const knowing = (textBytes: number) => ({
    filesFor: async (messages: readonly string[]) => {
      asked.push(messages);
      return { textBytes, images: 0 };
    },
  });
  const members = [persona('a', knowing(2_000)), persona('b', knowing(3_000))];
  const { ofSend } = choiceOf([persona('both', { members })]);
  const panel = { synthesis: false };
  const send = { personaId: 'both', panel };
  const { addedBytes } = await ofSend(Promise.resolve(CONVERSATION), send, ACTOR);
  const readLast = vi.fn<() => Promise<string[]>>(async () => ['Which boat?']);
  expect(await addedBytes(readLast)).toBe(100 + 3_000);
  expect(asked).toEqual([['Which boat?'], ['Which boat?']]);
  expect(readLast).toHaveBeenCalledTimes(1);
});

it('reads no messages when no file decides', async () => {
  const { ofSend } = choiceOf([persona('cook')]);
  const { addedBytes } = await ofSend(Promise.resolve(CONVERSATION), { personaId: 'cook' }, ACTOR);
  const readLast = vi.fn<() => Promise<string[]>>(async () => []);
  expect(await addedBytes(readLast)).toBe(100);
  expect(readLast).not.toHaveBeenCalled();
});
