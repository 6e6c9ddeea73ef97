import { beforeAll, describe, expect, it } from 'vitest';
import type { ContextInput } from '../context.ts';
import { personaContributor } from './contributor.ts';
import { createPersona, updatePersona } from './edit.ts';
import { actorOf, fieldsOf, newId, openPersonas } from './personas.fixture.ts';
import { READY_MADE } from './ready-made/index.ts';

let rig: Awaited<ReturnType<typeof openPersonas>>;
beforeAll(async () => {
  rig = await openPersonas();
});

const inputOf = (ownerId: string, persona: ContextInput['persona'], said = ['Hello']) => ({
  ownerId,
  conversationId: newId(),
  replyId: newId(),
  path: said.map((content, at) => ({ id: `${at}`, role: 'user' as const, content, fileIds: [] })),
  signal: new AbortController().signal,
  persona,
  depth: 'balanced' as const,
  memory: 'on' as const,
  temporary: false,
  budgetTokens: 2_000,
});
const contribute = (input: ContextInput) => personaContributor(rig).contribute(input);

describe('what a persona adds to a prompt', () => {
  it('is its text, with the knowledge and the files whose keys occur in the last messages', async () => {
    const actor = actorOf();
    const fileId = newId();
    rig.files.set(fileId, actor.userId);
    const { id, name, version } = await createPersona(rig, actor, {
      fields: fieldsOf({
        knowledge: [
          { keys: ['rent'], text: 'The rent is 900.' },
          { keys: ['lease'], fileId },
          { keys: ['heating'], text: 'Gas.' },
        ],
      }),
    });
    const said = ['What of the HEATING?', 'a', 'b', 'The lease?', 'And the Rent?'];
    const persona = { id, name, version };
    const added = await contribute(inputOf(actor.userId, persona, said));
    expect(added?.text).toContain('The rent is 900.');
    expect(added?.text).not.toContain('Gas.');
    expect(added?.fileIds).toEqual([fileId]);
    expect(added).not.toHaveProperty('persona');
  });

  it('is nothing without a persona', async () => {
    expect(await contribute(inputOf(newId(), null))).toBeUndefined();
  });

  it('is the current text, and its version is recorded', async () => {
    const actor = actorOf();
    const { id } = await createPersona(rig, actor, { fields: fieldsOf() });
    await updatePersona(rig, actor, { id, body: { version: 1, name: 'Grace' } });
    const added = await contribute(inputOf(actor.userId, { id, name: 'Ada', version: 1 }));
    expect(added?.text).toContain('Grace');
    expect(added?.persona).toEqual({ id, name: 'Grace', version: 2 });
  });

  it('is nothing of another user’s persona or a deleted one, and that is recorded', async () => {
    const { id } = await createPersona(rig, actorOf(), { fields: fieldsOf() });
    const added = await contribute(inputOf(newId(), { id, name: 'Ada', version: 1 }));
    expect(added).toMatchObject({ text: '', persona: null });
  });

  it('is the text of a ready-made one for all users', async () => {
    const { id, name, version } = READY_MADE[1] ?? { id: '', name: '', version: 0 };
    const added = await contribute(inputOf(newId(), { id, name, version }));
    expect(added?.text).toContain('“Tutor”');
  });
});

it('names the model of the persona, and whether it is still offered', async () => {
  const actor = actorOf();
  rig.offeredModels.push('gone');
  const { id, name, version } = await createPersona(rig, actor, {
    fields: fieldsOf({ model: 'gone' }),
  });
  const named = () => contribute(inputOf(actor.userId, { id, name, version }));
  expect((await named())?.model).toEqual({ name: 'gone', isOffered: true });
  rig.offeredModels.pop();
  expect((await named())?.model).toEqual({ name: 'gone', isOffered: false });
});
