import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { startChild } from '../../frontend/e2e/product.ts';
import { freePort } from '../embedded/run/ports.ts';
import type { TokenResult } from '../src/contract/auth.ts';
import type { Conversation } from '../src/contract/conversations.ts';
import type { Message } from '../src/contract/messages.ts';
import { atEnd } from './at-end.ts';
import { ownDatabase, temporaryFolder } from './processes.ts';
import { startSlowProvider } from './slow-provider.ts';
import { type Answer, ApiClient } from './stack.ts';

/** `npm start -- --web 2 --workers 3` with replies of `seconds`. */
async function startSeveral({ seconds }: { seconds: number }) {
  const provider = await startSlowProvider(seconds);
  atEnd(provider.stop);
  const port = await freePort();
  const supervisor = await startChild(
    process.execPath,
    [path.join(process.env.STOLAS_TEST_EMBEDDED ?? '', 'all.js')],
    {
      ready: /STOLAS is ready at/,
      env: {
        REDIS_URL: undefined,
        PORT: String(port),
        DATA_DIR: await temporaryFolder(),
        MONGODB_URI: ownDatabase(),
        WEB_PROCESSES: '2',
        WORKER_PROCESSES: '3',
        ...provider.settings,
        PLANS: 'off',
        RATE_LIMITS: 'false',
        GUESTS_PER_HOUR: '1000000',
        OCR: 'false',
        LOG_LEVEL: 'warn',
      },
    },
  );
  atEnd(() => supervisor.stop('SIGTERM'));
  const url = `http://127.0.0.1:${port}`;
  return {
    text: provider.content,
    guest: async () => {
      const anybody = new ApiClient(url, '');
      const { token } = await answered(() => anybody.post<TokenResult>('/auth/guest'));
      return new ApiClient(url, token);
    },
    /** The running processes of a kind: `web`, `worker`, `embedded-balancer`. */
    pids: (kind: string) => childrenOf(supervisor.pid ?? -1, kind),
    /** Resolves when the supervisor has started that many killed processes again. */
    restarted: (count: number) =>
      expect
        .poll(() => supervisor.output().match(/ runs again$/gm)?.length ?? 0)
        .toBeGreaterThanOrEqual(count),
  };
}

/** Child processes that run a built file. */
function childrenOf(parent: number, name: string): number[] {
  const read = (pid: string, file: string) => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, 'utf8');
    } catch {
      return '';
    }
  };
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && read(pid, 'status').includes(`PPid:\t${parent}\n`))
    .filter((pid) => read(pid, 'cmdline').includes(`/${name}.js\0`))
    .map(Number);
}

/** The body of a call, which is repeated while a busy server refuses it or a connection is lost. */
const answered = <T>(call: () => Promise<Answer<T>>): Promise<T> =>
  persistently(async () => {
    const { status, body } = await call();
    if (status >= 400) throw new Error(`The call was answered with ${status}`);
    return body;
  });

/** Repeats a call as a tab does, while a connection that it uses is lost. */
async function persistently<T>(call: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries += 1)
    try {
      return await call();
    } catch (error) {
      if (tries > 200) throw error;
      await sleep(100);
    }
}

const createConversation = async (api: ApiClient): Promise<string> => {
  const clientConversationId = randomUUID();
  const body = { title: 'A talk', clientConversationId };
  return (await answered(() => api.post<Conversation>('/conversations', body))).id;
};

/** Sends a message, again until it is accepted, under one id. */
const sendPersistently = (api: ApiClient, conversationId: string, content: string) => {
  const clientMessageId = randomUUID();
  return answered(() => api.send(conversationId, content, clientMessageId));
};

type Several = Awaited<ReturnType<typeof startSeveral>>;

/**
 * Kills web, worker and balancer processes one after the other, each while replies of `seconds` stream to open tabs and a message is sent,
 * and expects that no character and no message is lost.
 * @param each whether each process of a kind is killed, or only one
 * @returns the number of processes that were killed
 */
export async function killInTurn({
  seconds,
  replies,
  each,
}: {
  seconds: number;
  replies: number;
  each: boolean;
}): Promise<number> {
  const product = await startSeveral({ seconds });
  expect([product.pids('web').length, product.pids('worker').length]).toEqual([2, 3]);
  let killed = 0;
  for (const kind of ['web', 'worker', 'embedded-balancer'])
    for (const pid of product.pids(kind).slice(0, each ? undefined : 1)) {
      const talks = await Promise.all(Array.from({ length: replies }, () => begin(product)));
      const late = await product.guest();
      const lateId = await createConversation(late);
      process.kill(pid, 'SIGKILL');
      await sendPersistently(late, lateId, 'Sent meanwhile');
      killed += 1;
      await product.restarted(killed);
      for (const talk of talks) await arrivesWhole(talk, product.text);
      await expect
        .poll(() => outcome(late, lateId))
        .toEqual(['Sent meanwhile', `complete: ${product.text}`]);
    }
  return killed;
}

/** A new guest with an open tab and a reply that streams into it. */
async function begin(product: Several) {
  const guest = await product.guest();
  const id = await createConversation(guest);
  const tab = await guest.tab(id);
  await sendPersistently(guest, id, 'Hello');
  await expect.poll(() => tab.reply.text.length).toBeGreaterThan(0);
  return { guest, id, tab };
}

/** The tab shows every character, as does the database. */
async function arrivesWhole(
  { guest, id, tab }: Awaited<ReturnType<typeof begin>>,
  text: string,
): Promise<void> {
  await expect.poll(() => tab.reply.status).not.toBe('streaming');
  expect([tab.reply.status, tab.reply.text]).toEqual(['complete', text]);
  expect(await outcome(guest, id)).toEqual(['Hello', `complete: ${text}`]);
  tab.close();
}

const outcome = async (guest: ApiClient, id: string): Promise<string[]> =>
  (await answered(() => guest.get<Message[]>(`/conversations/${id}/messages`))).map((message) =>
    message.role === 'user' ? message.content : `${message.status}: ${message.content}`,
  );
