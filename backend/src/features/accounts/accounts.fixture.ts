import { afterAll, beforeAll, beforeEach } from 'vitest';
import { ownDatabase } from '../../../test/processes.ts';
import { type Connection, connectMongo, createIndexes } from '../../db/mongo.ts';
import type { MailKind } from './jobs.ts';
import { createLinkStore, defineLinkModel } from './link-model.ts';
import { createLinks } from './links.ts';
import { createRemovalStore } from './removal-model.ts';
import { type AccountsService, createAccountsService } from './service.ts';
import { createSessionStore, defineSessionModel } from './session-model.ts';
import type { SessionEnded } from './sessions.ts';
import { createUserStore, defineUserModel } from './user-model.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
export const PASSWORD = 'a long enough password';
export const NEW_PASSWORD = 'quite another password';

export const registration = (email: string) => ({
  email,
  password: PASSWORD,
  firstName: '',
  lastName: '',
});

/** The accounts service on a database of its own that is empty before each test, with a clock that the test moves. */
export function accountsUnderTest() {
  let connection: Connection;
  let accounts: AccountsService;
  let clock = 0;
  let ended: SessionEnded[] = [];
  let mails: MailKind[] = [];
  let withPlan = new Set<string>();
  let withoutAnswer = new Set<string>();
  let unpaid: string[] = [];
  let paymentsFail = false;
  const now = () => new Date(clock);

  beforeAll(async () => {
    connection = await connectMongo(ownDatabase());
    const userModel = defineUserModel(connection);
    accounts = createAccountsService({
      users: createUserStore(userModel),
      sessions: createSessionStore(defineSessionModel(connection)),
      links: createLinkStore(defineLinkModel(connection)),
      removals: createRemovalStore(userModel),
      now,
      newId: () => '000000000000000000000000',
      onSessionsChanged: async () => undefined,
      onSessionEnded: async (session) => {
        ended.push(session);
      },
      onChanged: async () => undefined,
      requestMail: async (_userId, kind) => {
        mails.push(kind);
      },
      requestRemoval: async () => 'receipt',
      hasPlan: async (userId) => {
        if (withoutAnswer.has(userId)) throw new Error('no answer');
        return withPlan.has(userId);
      },
      endPayments: async (userId) => {
        if (!paymentsFail) unpaid.push(userId);
        else {
          paymentsFail = false;
          throw new Error('no payments');
        }
      },
    });
    await createIndexes(connection);
  });
  afterAll(() => connection.close());
  beforeEach(async () => {
    // The real time of day: the database itself removes expired sessions by its own clock.
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
    /** Whether this user has a plan cannot be found out. */
    failPlan: (userId: string) => withoutAnswer.add(userId),
    links: () => createLinks({ links: createLinkStore(defineLinkModelOnce(connection)), now }),
    /** Changes a stored account without the service. */
    update,
    /** A new account whose address is verified. */
    verified: async (email: string) => {
      const user = await accounts.register(registration(email));
      await update(user.id, { $set: { emailVerified: true } });
      return { ...user, emailVerified: true };
    },
    /** A new guest, signed in. */
    startGuest: async () => {
      const user = await accounts.createGuest();
      return { user, token: await accounts.signIn(user, 'test') };
    },
    idOf: async (token: string) => (await accounts.authenticate(token))?.userId,
    sessionOf: async (token: string) => {
      const actor = await accounts.authenticate(token);
      return { userId: actor?.userId ?? '', sessionId: actor?.sessionId ?? '' };
    },
  };
}

const defineLinkModelOnce = (connection: Connection) =>
  connection.models.Link as ReturnType<typeof defineLinkModel>;
