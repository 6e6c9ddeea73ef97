import { afterAll, beforeAll, beforeEach } from 'vitest';
import { ownDatabase } from '../../../test/processes.ts';
import { parseConfig } from '../../config.ts';
import { type Connection, connectMongo, createIndexes } from '../../db/mongo.ts';
import { type AccountsFeature, createAccountsFeature, defineModels } from './feature.ts';
import type { MailJob, MailKind } from './jobs.ts';
import { registerAccount } from './register.ts';
import type { SessionRef } from './session-model.ts';
import { authenticate, openSession } from './sessions.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
const PUBLIC_URL = 'https://stolas.example';
export const PASSWORD = 'a long enough password';
export const NEW_PASSWORD = 'quite another password';

export const registration = (email: string) => ({
  email,
  password: PASSWORD,
  firstName: '',
  lastName: '',
});

/** A session of this user, or none. */
export const presentedBy = (userId: string | undefined) => ({
  presented: userId === undefined ? undefined : { userId, sessionId: 'a'.repeat(24) },
});

/** The accounts on a separate database that is empty before each test, with a clock that the test advances. */
export function accountsUnderTest() {
  let connection: Connection;
  let accounts: AccountsFeature;
  let clock = 0;
  let ended: SessionRef[] = [];
  let mails: MailKind[] = [];
  let withPlan = new Set<string>();
  let withoutAnswer = new Set<string>();
  let unpaid: string[] = [];
  let paymentsFail = false;
  const now = () => new Date(clock);

  beforeAll(async () => {
    connection = await connectMongo(ownDatabase());
    const bus = {
      publish: async () => undefined,
      endSession: async (userId: string, sessionId: string) => {
        ended.push({ userId, sessionId });
      },
    };
    const produce = () => ({
      add: async (_id: string, { kind }: MailJob) => {
        mails.push(kind);
      },
    });
    const billing = {
      hasPlan: async (userId: string) => {
        if (withoutAnswer.has(userId)) throw new Error('no answer');
        return withPlan.has(userId);
      },
      endPayments: async (userId: string) => {
        if (!paymentsFail) unpaid.push(userId);
        else {
          paymentsFail = false;
          throw new Error('no payments');
        }
      },
    };
    const config = parseConfig({ ...process.env, PUBLIC_URL, RATE_LIMITS: 'false' });
    const models = defineModels(connection);
    const outside = { bus: bus as never, produce: produce as never };
    const unused = { log: {} as never, securityLog: {} as never, redis: {} as never };
    accounts = createAccountsFeature(
      { models, config, now, ...outside, ...unused },
      {
        billing,
        usage: { readPlan: async () => ({ subscriptionStatus: null, subscriptionPlan: null }) },
        privacy: {
          requestDeletion: async () => 'receipt',
          prepareDeletion: async () => undefined,
        },
      },
    );
    await createIndexes(connection);
  });
  afterAll(() => connection.close());
  beforeEach(async () => {
    // The real time of day, because the database removes expired sessions by its own clock.
    clock = Date.now();
    ended = [];
    mails = [];
    withPlan = new Set();
    withoutAnswer = new Set();
    unpaid = [];
    paymentsFail = false;
    const names = ['users', 'sessions', 'links'];
    await Promise.all(names.map((name) => connection.collection(name).deleteMany({})));
  });

  const update = (userId: string, change: object) =>
    connection
      .collection('users')
      .updateOne({ _id: connection.base.Types.ObjectId.createFromHexString(userId) }, change);

  return {
    get accounts() {
      return accounts;
    },
    get connection() {
      return connection;
    },
    get ended() {
      return ended;
    },
    /** The kinds of the requested mails. */
    get mails() {
      return mails;
    },
    /** The users whose payments were ended. */
    get unpaid() {
      return unpaid;
    },
    /** The next end of payments fails. */
    failPayments: () => {
      paymentsFail = true;
    },
    later: (ms: number) => {
      clock += ms;
    },
    plan: (userId: string) => withPlan.add(userId),
    /** Makes the lookup of this user's plan fail. */
    failPlan: (userId: string) => withoutAnswer.add(userId),
    /** Changes a stored account directly. */
    update,
    /** A new account with a verified email address. */
    verified: async (email: string) => {
      const user = await registerAccount(accounts, registration(email));
      await update(user.id, { $set: { emailVerified: true } });
      return { ...user, emailVerified: true };
    },
    /** A new guest, signed in. */
    startGuest: async () => {
      const user = await accounts.users.createGuest(now());
      return { user, token: await openSession(accounts, user, { userAgent: 'test' }) };
    },
    idOf: async (token: string) => (await authenticate(accounts, token))?.userId,
    sessionOf: async (token: string) => {
      const actor = await authenticate(accounts, token);
      return { userId: actor?.userId ?? '', sessionId: actor?.sessionId ?? '' };
    },
  };
}
