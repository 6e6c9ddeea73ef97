import { beforeAll, describe, expect, it } from 'vitest';
import { choosePersona, findForReply } from './choose.ts';
import { MAX_DRAFTS } from './draft-model.ts';
import { draftPersona, removeAllOf } from './edit.ts';
import { actorOf, fieldsOf, newId, openPersonas } from './personas.fixture.ts';

let rig: Awaited<ReturnType<typeof openPersonas>>;
beforeAll(async () => {
  rig = await openPersonas();
});

describe('drafts', () => {
  it('are the same when they are requested at once', async () => {
    const actor = actorOf();
    const drafts = await Promise.all(
      Array.from({ length: 8 }, () => draftPersona(rig, actor, fieldsOf())),
    );
    expect(new Set(drafts.map(({ id }) => id)).size).toBe(1);
    expect(await rig.models.drafts.countDocuments({ ownerId: actor.userId })).toBe(1);
  });

  it('of one user are limited, and the newest stay', async () => {
    const actor = actorOf();
    let last = '';
    for (let n = 0; n < MAX_DRAFTS + 5; n += 1)
      last = (await draftPersona(rig, actor, fieldsOf({ name: `Draft ${n}` }))).id;
    expect(await rig.models.drafts.countDocuments({ ownerId: actor.userId })).toBe(MAX_DRAFTS);
    expect(await findForReply(rig, actor.userId, last)).toMatchObject({ name: 'Draft 24' });
  });

  it('of other users do not count towards the limit', async () => {
    const [ada, ben] = [actorOf(), actorOf()];
    await draftPersona(rig, ada, fieldsOf({ name: 'First' }));
    for (let n = 0; n < MAX_DRAFTS; n += 1)
      await draftPersona(rig, ben, fieldsOf({ name: `Draft ${n}` }));
    await draftPersona(rig, ada, fieldsOf({ name: 'Second' }));
    expect(await rig.models.drafts.countDocuments({ ownerId: ada.userId })).toBe(2);
  });

  it('have no files of others, and are chosen only by their owner', async () => {
    const [ada, ben] = [actorOf(), actorOf()];
    const knowledge = [{ keys: ['rent'], fileId: newId() }];
    const { id } = await draftPersona(rig, ada, fieldsOf({ knowledge }));
    expect(await findForReply(rig, ada.userId, id)).toMatchObject({ knowledge: [] });
    expect(await choosePersona(rig, ada.userId, id)).toMatchObject({ name: 'Ada', isDraft: true });
    expect(await choosePersona(rig, ben.userId, id)).toBeNull();
  });

  it('are removed with the account of their owner', async () => {
    const [ada, ben] = [actorOf(), actorOf()];
    for (const actor of [ada, ben]) await draftPersona(rig, actor, fieldsOf());
    await removeAllOf(rig, ada.userId);
    expect(await rig.models.drafts.countDocuments({ ownerId: ada.userId })).toBe(0);
    expect(await rig.models.drafts.countDocuments({ ownerId: ben.userId })).toBe(1);
  });
});
