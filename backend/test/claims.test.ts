import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { beforeAll, expect, it } from 'vitest';
import { createDemoModel } from '../embedded/model/server.ts';
import type { User } from '../src/contract/auth.ts';
import type { ErrorBody } from '../src/contract/errors.ts';
import type { Message, Reply, SentMessage } from '../src/contract/messages.ts';
import type { ReplyResult } from '../src/contract/replies.ts';
import type { ReplyUsage, Usage } from '../src/contract/usage.ts';
import { connectMongo } from '../src/db/mongo.ts';
import { makePdf } from './documents.ts';
import { listen } from './listen.ts';
import { type ApiClient, type Stack, startStack } from './stack.ts';
import { visitor } from './visitor.ts';

let stack: Stack;
/** The requested schemas, and those for which the provider fails. */
const asked: string[] = [];
const failing = new Set<string>();

/** The demo model, with failures that the test sets. */
const provider = (demo: string) =>
  createServer((request, response) => void answer(demo, request, response));

async function answer(demo: string, request: IncomingMessage, response: ServerResponse) {
  const body = await text(request);
  const name = /"json_schema":\{"name":"(\w+)"/.exec(body)?.[1] ?? '';
  asked.push(name);
  if (failing.has(name)) return void response.writeHead(500).end('{}');
  const headers = {
    'content-type': 'application/json',
    authorization: request.headers.authorization ?? '',
  };
  const given = await fetch(`${demo}${request.url}`, { method: 'POST', headers, body });
  response.writeHead(given.status, { 'content-type': given.headers.get('content-type') ?? '' });
  return void response.end(Buffer.from(await given.arrayBuffer()));
}

beforeAll(async () => {
  const demo = await listen(createDemoModel({ apiKey: 'test' }));
  stack = await startStack({ OPENAI_BASE_URL: `${await listen(provider(demo))}/v1` });
});

interface Talk {
  withFile: boolean;
  depth?: 'fast' | 'deep';
  /** By default a new guest. */
  api?: ApiClient;
}

/** A guest with a complete reply that makes three statements about a file, or says hello. */
async function talk({ withFile, depth, api }: Talk) {
  const ada = api ?? (await stack.guest());
  const id = await ada.conversation();
  const tab = await ada.tab(id);
  const updated: Message[] = [];
  tab.socket.on('message:updated', (message) => updated.push(message));
  const pages = ['This is the lease of a flat.', 'The rent is 900 euros a month.'];
  const files = withFile
    ? [{ id: (await ada.upload('lease.pdf', await makePdf({ pages }))).id }]
    : [];
  const content = withFile ? '/claims' : '/table';
  const body = { content, files, clientMessageId: randomUUID(), ...(depth && { depth }) };
  const sent = await ada.post<SentMessage>(`/conversations/${id}/messages`, body);
  const replyId = sent.body.reply.id;
  const wait = async (isWanted: (reply: Reply) => boolean): Promise<Reply> => {
    await expect.poll(async () => isWanted(await ada.reply(id))).toBe(true);
    return ada.reply(id);
  };
  await wait(({ status }) => status === 'complete');
  const check = () => ada.post<ReplyResult>(`/replies/${replyId}/check`);
  return { ada, replyId, files, updated, wait, check };
}

const isChecked = ({ metadata }: Reply) =>
  metadata?.claims !== undefined && metadata.claims.state !== 'checking';

it('a reply about a file has supported, contradicted and unsupported claims with quotations at their pages', async () => {
  const { ada, files, updated, wait, check } = await talk({ withFile: true });
  const { status, body } = await check();
  expect(status).toBe(202);
  expect(body.reply.metadata?.claims).toMatchObject({ state: 'checking', claims: [] });
  const reply = await wait(isChecked);
  const claims = reply.metadata?.claims;
  expect(claims).toMatchObject({ state: 'checked' });
  const quote = 'The rent is 900 euros a month.';
  const evidence = [{ quote, source: { kind: 'file', fileId: files[0]?.id, page: 2 } }];
  expect(claims?.claims).toMatchObject([
    { verdict: 'supported', text: quote, evidence },
    { verdict: 'contradicted', text: 'The rent is 907 euros a month.', evidence },
    { verdict: 'unsupported', evidence: [] },
  ]);
  for (const { start, end, text } of claims?.claims ?? [])
    expect(reply.content.slice(start, end)).toBe(text);
  await expect.poll(() => updated.at(-1)?.metadata?.claims).toEqual(claims);
  const { kinds } = (await ada.get<Usage>('/usage')).body;
  expect(kinds).toContainEqual({ kind: 'check', tokens: claims?.tokens });
});

it('several concurrent requests check and charge once', async () => {
  const { ada, wait, check } = await talk({ withFile: true });
  const answers = await Promise.all([check(), check(), check()]);
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
  const { metadata } = await wait(isChecked);
  const again = await check();
  expect(again.body.reply.metadata?.claims).toEqual(metadata?.claims);
  const { kinds } = (await ada.get<Usage>('/usage')).body;
  expect(kinds).toContainEqual({ kind: 'check', tokens: metadata?.claims?.tokens });
});

it('a check that is requested again after it failed is reserved and charged each time', async () => {
  const { ada, replyId, wait, check } = await talk({ withFile: true });
  failing.add('claim_verdicts');
  const spent: number[] = [];
  for (let run = 1; run <= 3; run += 1) {
    await check();
    const { metadata } = await wait(isChecked);
    expect(metadata?.claims).toMatchObject({ state: 'not_checked', problem: 'model' });
    spent.push(metadata?.claims?.tokens ?? 0);
  }
  failing.clear();
  await check();
  const last = (await wait(isChecked)).metadata?.claims;
  expect(last?.state).toBe('checked');
  spent.push(last?.tokens ?? 0);
  expect(Math.min(...spent)).toBeGreaterThan(0);
  const { body } = await ada.get<ReplyUsage>(`/replies/${replyId}/usage`);
  const checks = body.entries.filter(({ kind }) => kind === 'check');
  expect(checks.map(({ state, tokens }) => [state, tokens])).toEqual(
    spent.map((tokens) => ['settled', tokens]),
  );
  const { kinds } = (await ada.get<Usage>('/usage')).body;
  const sum = spent.reduce((total, tokens) => total + tokens, 0);
  expect(kinds).toContainEqual({ kind: 'check', tokens: sum });
});

it('a user whose plan has ended cannot request a check again', async () => {
  const { api } = await visitor(stack.web.url).member();
  const { body: user } = await api.get<User>('/auth/user');
  const database = await connectMongo(stack.env.MONGODB_URI ?? '');
  const subscriptions = database.collection('subscriptions');
  const ownerId = database.base.Types.ObjectId.createFromHexString(user.id);
  const plan = { ownerId, plan: 'starter', status: 'active', startedAt: new Date() };
  await subscriptions.insertOne(plan);
  const { wait, check } = await talk({ withFile: true, api });
  failing.add('claim_verdicts');
  await check();
  await wait(isChecked);
  failing.clear();
  await subscriptions.deleteMany({ ownerId });
  await database.close();
  const calls = asked.length;
  await check();
  const { metadata } = await wait(isChecked);
  expect(metadata?.claims).toMatchObject({ state: 'not_checked', problem: 'quota', tokens: 0 });
  expect(asked.length).toBe(calls);
});

it('without a source no call is made and nothing is charged', async () => {
  const { ada, wait, check } = await talk({ withFile: false });
  await check();
  const { metadata } = await wait(isChecked);
  expect(metadata?.claims).toMatchObject({
    state: 'not_checked',
    problem: 'no_source',
    tokens: 0,
  });
  const { kinds } = (await ada.get<Usage>('/usage')).body;
  expect(kinds.map(({ kind }) => kind)).toEqual(['reply']);
});

it('a deep reply is checked automatically, a fast one never', async () => {
  const deep = await talk({ withFile: true, depth: 'deep' });
  const { metadata } = await deep.wait(isChecked);
  expect(metadata?.claims?.claims.map(({ verdict }) => verdict)).toEqual([
    'supported',
    'contradicted',
    'unsupported',
  ]);
  const fast = await talk({ withFile: true, depth: 'fast' });
  expect(await fast.check()).toMatchObject({ status: 409, body: { code: 'reply_not_retryable' } });
});

it('answers 401 without a session, 404 to another user, and 409 for a reply that is not complete', async () => {
  const { replyId } = await talk({ withFile: false });
  const path = `/replies/${replyId}/check`;
  expect((await visitor(stack.web.url).post(path)).status).toBe(401);
  const eve = await stack.guest();
  expect(await eve.post<ErrorBody>(path)).toMatchObject({ status: 404 });
  const id = await eve.conversation();
  const { body } = await eve.send(id, '/slow 60');
  const running = await eve.post<ErrorBody>(`/replies/${body.reply.id}/check`);
  expect(running).toMatchObject({ status: 409, body: { code: 'reply_in_progress' } });
  await eve.post(`/replies/${body.reply.id}/stop`);
  await expect.poll(async () => (await eve.reply(id)).status).toBe('stopped');
  const stopped = await eve.post<ErrorBody>(`/replies/${body.reply.id}/check`);
  expect(stopped).toMatchObject({ status: 409, body: { code: 'reply_not_retryable' } });
});
