import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import type { Conversation } from '../src/contract/conversations.ts';
import type { UserFile } from '../src/contract/files.ts';
import type { Message } from '../src/contract/messages.ts';
import { attacks, meanwhile, REFUSING, routes } from './hostile.ts';
import type { ApiClient, Stack } from './stack.ts';
import { startStack } from './stack.ts';
import { visitor } from './visitor.ts';

/** Maximum growth of a process's memory after everything. */
const GROWTH_MB = 200;
const SOURCES = path.join(import.meta.dirname, '../src');
/** It takes 500 s on an idle machine. */
const LONG = { timeout: 3_000_000 };

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
  stack.provider.onMessage('Hoot', { content: 'Owls hoot.' }).onMessage(/.*/, { content: 'No.' });
});

const rssMb = ({ pid }: { pid: number }): number => {
  const [, kb] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kb) / 1024;
};

/** Without a pause, the calls of the other user would take the CPU that the attack needs. */
const PAUSE_MS = 100;
/** More of them in a row are not a busy machine. */
const MAX_UNAVAILABLE = 20;

/** The answer to another user, who repeats a call while a service is busy, as the page does. `bench hostile` measures how long others wait. */
async function read<T>(user: ApiClient, url: string): Promise<T> {
  let answer = await user.get<T>(url);
  for (let n = 0; answer.status === 503 && n < MAX_UNAVAILABLE; n += 1)
    answer = await user.get<T>(url);
  expect(answer.status).toBe(200);
  return answer.body;
}

/** Repeated calls of another user; every answer must be correct. */
async function workOn(user: ApiClient, { id }: { id: string }): Promise<void> {
  const [, talk, found] = await Promise.all([
    read(user, '/auth/user'),
    read<Conversation[]>(user, '/conversations'),
    read<Message[]>(user, `/conversations/${id}/messages`),
  ]);
  expect([talk.map((one) => one.id), found.map(({ content }) => content)]).toEqual([
    [id],
    ['Hoot', 'Owls hoot.'],
  ]);
}

async function start(user: ApiClient): Promise<{ id: string }> {
  const id = await user.conversation();
  await user.send(id, 'Hoot');
  await expect.poll(async () => (await user.reply(id)).content, LONG).toBe('Owls hoot.');
  return { id };
}

it.skipIf(process.platform !== 'linux')(
  'the largest hostile input of every route, card and file kind breaks no answer for others, ends no process and keeps no memory',
  async () => {
    expect(routes(SOURCES).length).toBeGreaterThan(80);
    const attacker = await visitor(stack.web.url).subscriber('pro');
    const user = await visitor(stack.web.url).subscriber('pro');
    const talk = await start(user);
    for (let n = 0; n < 50; n += 1) await workOn(user, talk);
    const processes = [stack.web, stack.worker];
    const [web = 0, worker = 0] = processes.map(rssMb);
    const pids = processes.map(({ pid }) => pid);

    const accepted = new Set<string>();
    for (const { name, route, run } of await attacks(SOURCES)) {
      const work = () => workOn(user, talk);
      const attack = async () => {
        const status = await run(attacker);
        if (route !== undefined && Number(status) < 300) accepted.add(route);
      };
      await meanwhile(attack(), work, PAUSE_MS).catch((error: unknown) => {
        throw new Error(`During ${name}`, { cause: error });
      });
    }
    // An attack that its route refused at once would test nothing.
    const all = routes(SOURCES).map(({ method, path: route }) => `${method} ${route}`);
    expect(all.filter((route) => !accepted.has(route)).toSorted()).toEqual(REFUSING.toSorted());

    // Afterwards the worker still relays replies and reads files.
    const other = await visitor(stack.web.url).subscriber('pro');
    await start(other);
    const { file } = await other.upload('owl.txt', 'Owls hoot.');
    const state = async () => (await other.get<UserFile>(`/files/${file.id}/pages/1`)).status;
    await expect.poll(state, LONG).toBe(200);

    expect(processes.map(({ pid }) => pid)).toEqual(pids);
    const grown = async () => {
      // Memory is released only at the next allocations.
      await workOn(user, talk);
      return Math.max(rssMb(stack.web) - web, rssMb(stack.worker) - worker);
    };
    await expect.poll(grown, { interval: 200 }).toBeLessThan(GROWTH_MB);
  },
  LONG.timeout,
);
