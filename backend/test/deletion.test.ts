import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { Redis } from 'ioredis';
import { beforeAll, describe, expect, it } from 'vitest';
import type { User } from '../src/contract/auth.ts';
import type { ErrorBody } from '../src/contract/errors.ts';
import type { UploadTarget } from '../src/contract/files.ts';
import {
  DELETION_STORES,
  type DeletionReceipt,
  type DeletionResult,
  type DeletionStore,
} from '../src/contract/privacy.ts';
import { type Connection, connectMongo } from '../src/db/mongo.ts';
import { filePrefix } from '../src/features/files/library/file-record.ts';
import { makePdf } from './documents.ts';
import { temporaryFolder } from './processes.ts';
import { type ApiClient, longText, type Stack, startStack } from './stack.ts';
import { newEmail, PASSWORD, visitor } from './visitor.ts';

let stack: Stack;
let us: ReturnType<typeof visitor>;
let database: Connection;
let redis: Redis;
const forgotten: string[] = [];

beforeAll(async () => {
  // A payment provider that can only delete a customer. Workers also request its subscriptions.
  const stripe = createServer((req, res) => {
    if (req.method === 'DELETE') forgotten.push(`${req.method} ${req.url}`);
    res.writeHead(200, { 'content-type': 'application/json' }).end('{"deleted":true}');
  }).listen(0, '127.0.0.1');
  await once(stripe, 'listening');
  stack = await startStack({
    EMBEDDING_MODEL: 'small',
    DATA_DIR: await temporaryFolder(),
    STRIPE_SECRET_KEY: 'sk_test_1',
    STRIPE_API_URL: `http://127.0.0.1:${(stripe.address() as AddressInfo).port}`,
  });
  stack.provider.onMessage(/.*/, { content: longText(4_000) }, { streamingProfile: { tps: 40 } });
  us = visitor(stack.web.url);
  database = await connectMongo(stack.env.MONGODB_URI ?? '');
  redis = new Redis(stack.redis.url);
  return async () => {
    stripe.close();
    redis.disconnect();
    await database.close();
  };
});

const idOf = async (api: ApiClient) => (await api.get<User>('/auth/user')).body.id;

/** Every document of the database, and every key and value of Redis, each in one text. */
const documents = async ({ except = [] }: { except?: string[] } = {}) => {
  const collections = (await database.db?.collections()) ?? [];
  const all = collections
    .filter(({ collectionName }) => !except.includes(collectionName))
    .map((collection) => collection.find().toArray());
  return JSON.stringify(await Promise.all(all));
};
const keys = async () => (await redis.keys('*')).join(' ');

/** Makes a deletion old enough to be done: the next attempt may be the last one. */
const age = ({ receiptId }: DeletionResult) =>
  database
    .collection<{ _id: string }>('deletion_receipts')
    .updateOne({ _id: receiptId }, { $set: { requestedAt: new Date(Date.now() - 60_000) } });

const receiptOf = ({ receiptId }: DeletionResult) =>
  us.call<DeletionReceipt>('GET', `/deletions/${receiptId}`);

const S3 = () => {
  const { S3_ENDPOINT = '', S3_ACCESS_KEY_ID = '', S3_SECRET_ACCESS_KEY = '' } = process.env;
  const credentials = { accessKeyId: S3_ACCESS_KEY_ID, secretAccessKey: S3_SECRET_ACCESS_KEY };
  return new S3Client({
    endpoint: S3_ENDPOINT,
    region: 'us-east-1',
    credentials,
    forcePathStyle: true,
  });
};

/** A file that was read, with text, thumbnail and vectors; an unattached upload; and an unfinished multipart upload. */
async function leaveFiles(api: ApiClient, client: S3Client): Promise<void> {
  const { file } = await api.upload('owl.pdf', await makePdf({ pages: ['The owl hoots.'] }));
  const target = (await api.post<UploadTarget>('/objects/upload', { fileSize: 4 })).body;
  await fetch(target.uploadURL, { method: 'PUT', headers: target.headers, body: 'left' });
  const parts = { filename: 'a.bin', metadata: { size: 1 } };
  expect((await api.post('/s3/multipart', parts)).status).toBe(200);
  const ownerId = await idOf(api);
  const Prefix = `${filePrefix({ ownerId, id: file.id })}vectors/`;
  const listing = new ListObjectsV2Command({ Bucket: process.env.S3_BUCKET, Prefix });
  const vectors = async () => (await client.send(listing)).Contents?.length;
  await expect.poll(vectors).toBe(1);
}

describe('deleting an account', () => {
  it('requires the password', async () => {
    const { api } = await us.member();
    for (const body of [undefined, {}, { currentPassword: 'not it' }]) {
      const { status, body: answer } = await api.call<ErrorBody>('DELETE', '/auth/user', body);
      expect([status, answer.details?.field]).toEqual([422, 'currentPassword']);
    }
    expect((await api.get('/auth/user')).status).toBe(200);
  });

  it('fault 34: erases all data of the user, even while a reply is generated, and none of others', async () => {
    const { email, api } = await us.member();
    const { api: bystander } = await us.member();
    const [id, other] = [await idOf(api), await idOf(bystander)];
    const subscriptions = database.collection('subscriptions');
    for (const [userId, customer] of [
      [id, 'cus_gone'],
      [other, 'cus_stays'],
    ] as const)
      await subscriptions.insertOne({
        ownerId: database.base.Types.ObjectId.createFromHexString(userId),
        plan: 'pro',
        startedAt: new Date(),
        customerIds: [customer],
      });
    const Bucket = process.env.S3_BUCKET ?? '';
    const client = S3();
    for (const owner of [id, other])
      await client.send(
        new PutObjectCommand({ Bucket, Key: `users/${owner}/note.txt`, Body: 'mine' }),
      );
    await leaveFiles(api, client);
    const stored = { Bucket, Prefix: `users/${id}/` };
    const { Contents: before = [] } = await client.send(new ListObjectsV2Command(stored));
    const kindOf = (key = '') =>
      key
        .split('/')
        .slice(4)
        .join('/')
        .replace(/[0-9a-f]{32}/, 'model');
    expect(new Set(before.map(({ Key }) => kindOf(Key)))).toEqual(
      new Set(['content', 'text.json.gz', 'thumbnail.webp', 'vectors/model', '']),
    );
    const talk = await api.conversation();
    const theirs = await bystander.conversation();
    const tab = await api.tab(talk);
    await api.send(talk, 'A secret question');
    await expect.poll(() => tab.reply.text.length).toBeGreaterThan(100);
    const [replyId] = tab.views.keys();

    const { status, body } = await api.call<DeletionResult>('DELETE', '/auth/user', {
      currentPassword: PASSWORD,
    });
    expect(status).toBe(202);
    await age(body);
    expect(await receiptOf(body)).toMatchObject({ status: 200, body: { state: 'running' } });
    expect((await api.get('/auth/user')).status).toBe(401);
    await expect.poll(() => tab.sessionEnded && tab.socket.disconnected).toBe(true);
    expect((await us.signIn(email)).status).toBe(401);

    await expect
      .poll(() => documents({ except: ['uploads', 'deletion_receipts'] }))
      .not.toContain(id);
    // Signed URLs stay valid after the end of the account; the grants that remain let the sweep remove their objects later.
    const grants = await database.collection('uploads').find().toArray();
    expect(new Set(grants.flatMap(Object.keys))).toEqual(
      new Set(['_id', 'ownerId', 'purpose', 'createdAt', 'expiresAt', 'sweepAt']),
    );
    expect(await documents()).not.toContain('A secret question');
    await expect.poll(keys).not.toContain(replyId);
    expect(forgotten).toEqual(['DELETE /v1/customers/cus_gone']);
    expect((await client.send(new ListObjectsV2Command(stored))).Contents ?? []).toEqual([]);
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand(stored));
    expect(Uploads).toEqual([]);

    // The receipt lists them, and is done after the end of the last of those URLs.
    const leftOf = async () => {
      const { stores } = (await receiptOf(body)).body;
      return stores.filter(({ left }) => left !== 0).map(({ store, left }) => [store, left]);
    };
    await expect.poll(leftOf).toEqual([['files', grants.length]]);
    const ended = { sweepAt: new Date(0) };
    const ownerId = database.base.Types.ObjectId.createFromHexString(id);
    const { modifiedCount } = await database
      .collection('uploads')
      .updateMany(
        { ownerId, sweepAt: { $lt: new Date(Date.now() + 75 * 60_000) } },
        { $set: ended },
      );
    expect(modifiedCount).toBe(grants.length);
    await expect.poll(async () => (await receiptOf(body)).body.state).toBe('done');
    const receipt = (await receiptOf(body)).body;
    const counts = new Map(receipt.stores.map(({ store, found, left }) => [store, [found, left]]));
    for (const store of ['accounts', 'billing', 'payments', 'files', 'chat', 'objects', 'redis'])
      expect([store, counts.get(store as DeletionStore)]).toEqual([
        store,
        [expect.toSatisfy((found) => found > 0), 0],
      ]);
    expect(await documents()).not.toContain(id);
    expect(JSON.stringify(receipt)).not.toMatch(new RegExp(`${id}|${email}`));

    expect((await bystander.get('/auth/user')).status).toBe(200);
    expect(await bystander.messages(theirs)).toEqual([]);
    const kept = new ListObjectsV2Command({ Bucket, Prefix: `users/${other}/` });
    expect((await client.send(kept)).Contents).toHaveLength(1);
  });

  it('has a receipt, which can be read only by its id', async () => {
    const guest = await us.guest();
    const { body } = await guest.call<DeletionResult>('DELETE', '/auth/user');
    expect(body.receiptId).toMatch(/^[0-9a-f]{48}$/);
    await age(body);
    const isDone = async () => (await receiptOf(body)).body.state;
    await expect.poll(isDone).toBe('done');
    const { finishedAt, expiresAt, stores } = (await receiptOf(body)).body;
    expect(Date.parse(expiresAt ?? '') - Date.parse(finishedAt ?? '')).toBe(30 * 86_400_000);
    expect(stores.map(({ store }) => store)).toEqual([...DELETION_STORES]);
    expect(stores.every(({ left }) => left === 0)).toBe(true);
    for (const other of ['0'.repeat(48), 'short', await idOf(await us.guest())])
      expect((await us.call('GET', `/deletions/${other}`)).status).toBe(404);
    const receipts = database.collection<{ _id: string }>('deletion_receipts');
    await receipts.updateOne({ _id: body.receiptId }, { $set: { expiresAt: new Date(0) } });
    expect((await receiptOf(body)).status).toBe(404);
  });

  it('frees the email address at once', async () => {
    const email = newEmail();
    const { api } = await us.member(email);
    await api.call('DELETE', '/auth/user', { currentPassword: PASSWORD });
    const { api: next } = await us.member(email);
    expect((await next.get<User>('/auth/user')).body).toMatchObject({ email });
    expect((await us.signIn(email)).status).toBe(200);
  });

  it('works for guests, who have no password', async () => {
    const guest = await us.guest();
    const id = await idOf(guest);
    const { status, body } = await guest.call<DeletionResult>('DELETE', '/auth/user');
    expect(status).toBe(202);
    await age(body);
    await expect.poll(documents).not.toContain(id);
  });

  it('is completed after the worker was stopped', async () => {
    const { api } = await us.member();
    const id = await idOf(api);
    await stack.worker.kill();
    const { status, body } = await api.call<DeletionResult>('DELETE', '/auth/user', {
      currentPassword: PASSWORD,
    });
    expect(status).toBe(202);
    await age(body);
    await stack.worker.restart();
    await expect.poll(documents).not.toContain(id);
  });
});
