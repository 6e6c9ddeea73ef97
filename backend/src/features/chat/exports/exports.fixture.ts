import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { afterAll } from 'vitest';
import { newId, openChat } from '../../../../test/chat.ts';
import { testFileReader } from '../../../../test/file-reader.ts';
import { type Actor, sessionActor } from '../../../access/index.ts';
import type {
  Conversation,
  ExportedConversation,
  ImportConversationBody,
} from '../../../contract/conversations.ts';
import type { ErrorBody } from '../../../contract/errors.ts';
import { createApp, type RateLimit } from '../../../http/index.ts';
import { serve } from '../../../http/serve.fixture.ts';
import { createLog } from '../../../log.ts';
import type { ChatFeature } from '../feature.ts';
import { type Imports, importConversation } from './import.ts';
import { exportRoutes, importRoutes } from './index.ts';

/** A user without a plan. */
export const WITHOUT_PLAN = 'f'.repeat(24);

/** Export and import over HTTP, on a separate database. The token is the user's id; the prefix `guest-` makes a guest. */
export async function openExports() {
  const chat = await openChat();
  const rateLimit: RateLimit = () => (_req, _res, next) => next();
  const feature: ChatFeature = {
    ...chat.deps,
    reader: testFileReader(),
    others: {
      ...chat.deps.others,
      usage: {
        ...chat.deps.others.usage,
        readAhead: async ({ userId }) =>
          ({ entitlements: { mayChat: userId !== WITHOUT_PLAN } }) as never,
      },
    },
  };
  const importWith =
    (changes: Partial<Imports> = {}) =>
    (actor: Actor, body: ImportConversationBody) =>
      importConversation({ ...feature, ...changes }, actor, async () =>
        Buffer.from(JSON.stringify(body)),
      );
  const app = createApp({
    config: { TRUST_PROXY: 0 },
    log: createLog({ level: 'silent', name: 'test' }),
    authenticate: async (token) => actorOfToken(token),
    routers: [exportRoutes(feature, rateLimit)],
    rawRouters: [importRoutes(feature, rateLimit)],
  });
  const { url, stop } = await serve(app);
  afterAll(stop);

  const call = (token: string, path: string, body?: unknown) =>
    fetch(`${url}/api${path}`, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });

  return {
    ...chat,
    imported: feature.imported,
    url,
    importWith,
    call,

    export: async (actor: Pick<Actor, 'userId'>, id: string, format: 'md' | 'json') =>
      (await call(actor.userId, `/conversations/${id}/export?format=${format}`)).text(),

    /** Sends the beginning of an import, and waits until the server has got it. */
    beginImport: async ({ userId }: Pick<Actor, 'userId'>) => {
      const begun = request(`${url}/api/conversations/import`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${userId}`,
          'content-type': 'application/json',
          expect: '100-continue',
        },
      });
      // Destroyed by the test.
      begun.on('error', () => undefined).write('{');
      await once(begun, 'continue');
      return begun;
    },

    /** The status and body of an import of `text`; other values are written as JSON. */
    import: async (
      actor: Pick<Actor, 'userId'>,
      text: unknown,
      more: Partial<ImportConversationBody> = {},
    ) => {
      const body = {
        format: 'json',
        text: typeof text === 'string' ? text : JSON.stringify(text),
        clientConversationId: randomUUID(),
        ...more,
      };
      const answer = await call(actor.userId, '/conversations/import', body);
      return { status: answer.status, body: (await answer.json()) as Conversation & ErrorBody };
    },
  };
}

const actorOfToken = (token: string): Actor => {
  const userId = token.replace('guest-', '');
  return sessionActor({ userId, sessionId: userId, isGuest: token !== userId });
};

type Exported = ExportedConversation['messages'][number];

/** A message of a file. User messages have even numbers; by default each message follows the previous one. */
export const message = (n: number, fields: Partial<Exported> = {}): Exported => ({
  id: `m${n}`,
  parentId: n === 0 ? null : `m${n - 1}`,
  role: n % 2 === 0 ? 'user' : 'assistant',
  content: `Text ${n}`,
  createdAt: new Date(1_700_000_000_000 + n * 1_000).toISOString(),
  ...fields,
});

/** A file with these messages. */
export const file = (messages: unknown[], fields: object = {}) => ({
  format: 'stolas.conversation',
  version: 1,
  title: 'Owls',
  messages,
  ...fields,
});

export { newId };
