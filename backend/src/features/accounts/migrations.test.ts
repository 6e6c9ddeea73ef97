import { expect, it } from 'vitest';
import { ownDatabase } from '../../../test/processes.ts';
import { migrate } from '../../db/migrate.ts';
import { connectMongo, createIndexes } from '../../db/mongo.ts';
import { accountsMigrations } from './migrations.ts';
import { createUserStore, defineUserModel } from './user-model.ts';
import { IdentityTakenError } from './user-record.ts';

const DAY = 24 * 60 * 60_000;
const daysAgo = (days: number) => new Date(Date.now() - days * DAY);

it('leaves an address to the account that verified it, else to the one that was used last', async () => {
  const connection = await connectMongo(ownDatabase());
  const users = connection.collection('users');
  // The indexes of the version before, which let several unverified accounts have one address.
  await users.createIndex(
    { email: 1 },
    { unique: true, partialFilterExpression: { emailVerified: true }, name: 'email_proven' },
  );
  await users.createIndex({ email: 1, createdAt: 1 }, { sparse: true });
  const add = async (email: string | undefined, emailVerified: boolean, days: number) => {
    const at = daysAgo(days);
    const document = { ...(email && { email }), emailVerified, createdAt: at, lastSeenAt: at };
    return String((await users.insertOne(document)).insertedId);
  };
  const verified = await add('a@example.com', true, 9);
  const claims = [await add('a@example.com', false, 1), await add('a@example.com', false, 20)];
  const [old, recent, older] = [
    await add('b@example.com', false, 5),
    await add('b@example.com', false, 2),
    await add('b@example.com', false, 7),
  ];
  const guest = await add(undefined, false, 1);

  await migrate(connection, accountsMigrations);
  const model = defineUserModel(connection);
  await createIndexes(connection);
  const store = createUserStore(model);
  expect((await store.findByEmail('a@example.com'))?.id).toBe(verified);
  expect((await store.findByEmail('b@example.com'))?.id).toBe(recent);
  for (const id of [...claims, old, older, guest])
    expect(await store.find(id ?? '')).toMatchObject({ email: null, emailVerified: false });
  // One that lost its address can enter one again, and every account can be signed in to.
  const [loser] = claims;
  expect(
    await store.setPendingEmail({ id: loser ?? '', credentialVersion: 0 }, 'c@example.com'),
  ).toMatchObject({ pendingEmail: 'c@example.com' });
  const registration = {
    email: 'b@example.com',
    emailVerified: false,
    firstName: '',
    lastName: '',
  };
  await expect(store.register(registration, { now: new Date() })).rejects.toBeInstanceOf(
    IdentityTakenError,
  );

  // Running it again after a crash does no harm.
  for (const { run } of accountsMigrations) await run(connection);
  expect((await store.findByEmail('a@example.com'))?.id).toBe(verified);
  await connection.close();
});
