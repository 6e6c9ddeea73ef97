import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { FILE_BYTES, openUploads, type Uploader, type Uploads } from './uploads.fixture.ts';

const HOUR_MS = 60 * 60_000;

let rig: Uploads;
let ada: Uploader;

beforeAll(async () => {
  rig = await openUploads();
  ada = rig.user();
});

describe('a form', () => {
  const formOf = (file: string | Uint8Array<ArrayBuffer>, name: string = 'ä "1".txt') => {
    const form = new FormData();
    form.set('file', new Blob([file], { type: 'text/plain' }), name);
    return form;
  };
  const lastAttached = () => rig.attached.at(-1);

  it('is stored and attached under its name', async () => {
    const { status, body } = await ada.call('POST', '/files', formOf('Hello'));
    expect(status).toBe(200);
    expect(lastAttached()).toEqual({
      ownerId: ada.id,
      uploadURL: body.key,
      fileName: 'ä "1".txt',
      fileType: 'text/plain',
      purpose: 'library',
      size: 5,
    });
    expect(await rig.stored(String(body.key))).toBe('Hello');
  });

  it('has its purpose from the query, else from its fields, which may name the file too', async () => {
    const form = formOf('Hello');
    form.set('purpose', 'chat');
    form.set('name', 'kept.txt');
    await ada.call('POST', '/files', form);
    expect(lastAttached()).toMatchObject({ purpose: 'chat', fileName: 'kept.txt' });
    await ada.call('POST', '/files?purpose=chat', formOf('Hello'));
    expect(lastAttached()).toMatchObject({ purpose: 'chat' });
    expect((await ada.call('POST', '/files?purpose=x', formOf('Hello'))).status).toBe(422);
  });

  it('of many megabytes is sent in parts', async () => {
    const bytes = new Uint8Array(12 * 1024 * 1024).fill(7);
    const { status, body } = await ada.call('POST', '/files', formOf(bytes));
    expect(status).toBe(200);
    expect(lastAttached()).toMatchObject({ size: bytes.length });
    expect((await rig.objects.head(String(body.key)))?.size).toBe(bytes.length);
  });

  /** A form without a declared length, so that the limit is reached only while it arrives. */
  const stream = (user: Uploader, boundary: string = randomUUID()) => {
    const outgoing = request(`${rig.url}/api/files`, {
      method: 'POST',
      headers: { ...user.headers, 'content-type': `multipart/form-data; boundary=${boundary}` },
    });
    outgoing.write(
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n`,
    );
    return { outgoing, end: () => outgoing.end(`\r\n--${boundary}--\r\n`) };
  };

  it('with a file that is too large is refused, and nothing is stored', async () => {
    const user = rig.user();
    const declared = await user.call('POST', '/files', formOf(new Uint8Array(FILE_BYTES + 20_000)));
    expect([declared.status, declared.body.code]).toEqual([413, 'too_large']);
    const { outgoing, end } = stream(user);
    outgoing.write(Buffer.alloc(FILE_BYTES + 1));
    end();
    const [answer] = await once(outgoing, 'response');
    expect(answer.statusCode).toBe(413);
    expect(await text(answer)).toContain('a.bin exceeds maximum allowed size of 30 MB.');
    const [grant, ...others] = await rig.model.find({ ownerId: user.id }).lean();
    expect(others).toEqual([]);
    expect(await rig.objects.head(grant?._id ?? '')).toBeNull();
    expect(await rig.uploads.find({ ownerId: user.id, key: grant?._id ?? '' })).toBeNull();
  });

  it('that is cut off leaves nothing that is not swept', async () => {
    await rig.model.deleteMany({});
    const user = rig.user();
    const { outgoing } = stream(user);
    outgoing.on('error', () => undefined);
    outgoing.write(Buffer.alloc(7 * 1024 * 1024));
    await expect.poll(() => rig.model.countDocuments({ ownerId: user.id })).toBe(1);
    outgoing.destroy();
    const ended = { ownerId: user.id, expiresAt: { $lte: rig.now() } };
    await expect.poll(() => rig.model.countDocuments(ended)).toBe(1);
    const { _id: key = '' } = (await rig.model.findOne(ended).lean()) ?? {};
    rig.wait(2 * HOUR_MS);
    await rig.sweep();
    expect(await rig.objects.head(key)).toBeNull();
    expect(await rig.model.countDocuments({ ownerId: user.id })).toBe(0);
    expect(rig.attached).not.toContainEqual(expect.objectContaining({ ownerId: user.id }));
  });

  it('without a file, with two, or that is no form is refused', async () => {
    const two = formOf('one');
    two.append('file', new Blob(['two']), 'two.txt');
    const none = new FormData();
    none.set('text', 'x');
    for (const body of [two, none, { file: 'x' }]) {
      const { status } = await ada.call('POST', '/files', body);
      expect([400, 422]).toContain(status);
    }
  });

  it('needs a session, and one of our pages when it has only a cookie', async () => {
    const send = (headers: Record<string, string>) =>
      fetch(`${rig.url}/api/files`, { method: 'POST', headers, body: formOf('x') });
    expect((await send({})).status).toBe(401);
    const cookie = { cookie: `stolas_session=${ada.id}` };
    expect((await send({ ...cookie, origin: 'https://evil.example' })).status).toBe(403);
    expect((await send({ ...cookie, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await send({ ...cookie, 'sec-fetch-site': 'same-origin' })).status).toBe(200);
  });
});
