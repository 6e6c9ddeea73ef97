import { beforeAll, describe, expect, it } from 'vitest';
import { MAX_DRAFTS } from './draft-model.ts';
import { actorOf, fieldsOf, newId, openPersonas } from './personas.fixture.ts';

let rig: Awaited<ReturnType<typeof openPersonas>>;
beforeAll(async () => {
  rig = await openPersonas();
});

describe('drafts', () => {
  it('are the same when they are asked for at once', async () => {
    const actor = actorOf();
    const drafts = await Promise.all(
      Array.from({ length: 8 }, () => rig.service.draft(actor, fieldsOf())),
    );
    expect(new Set(drafts.map(({ id }) => id)).size).toBe(1);
    expect(await rig.draftModel.countDocuments({ ownerId: actor.userId })).toBe(1);
  });

  it('of one user are bounded, and the newest stay', async () => {
    const actor = actorOf();
    let last = '';
    for (let n = 0; n < MAX_DRAFTS + 5; n += 1)
      last = (await rig.service.draft(actor, fieldsOf({ name: `Draft ${n}` }))).id;
    expect(await rig.draftModel.countDocuments({ ownerId: actor.userId })).toBe(MAX_DRAFTS);
    expect(await rig.service.findForReply(actor.userId, last)).toMatchObject({ name: 'Draft 24' });
  });

  it('have no files of others, and are chosen by their owner alone', async () => {
    const [ada, ben] = [actorOf(), actorOf()];
    const knowledge = [{ keys: ['rent'], fileId: newId() }];
    const { id } = await rig.service.draft(ada, fieldsOf({ knowledge }));
    expect(await rig.service.findForReply(ada.userId, id)).toMatchObject({ knowledge: [] });
    expect(await rig.service.choose(ada.userId, id)).toMatchObject({ name: 'Ada', isDraft: true });
    expect(await rig.service.choose(ben.userId, id)).toBeNull();
  });

  it('go with the account', async () => {
    const actor = actorOf();
    await rig.service.draft(actor, fieldsOf());
    await rig.service.removeAllOf(actor.userId);
    expect(await rig.draftModel.countDocuments({ ownerId: actor.userId })).toBe(0);
  });
});
