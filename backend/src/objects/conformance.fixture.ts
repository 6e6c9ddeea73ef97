import { randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ObjectMissingError, type ObjectStore, UploadRefusedError } from './port.ts';

/** S3's rule: only the last part may be smaller. */
const PART_BYTES = 5 * 1024 * 1024;
const MINUTE = { expiresInSeconds: 60 };

/** The tests for every adapter of `ObjectStore`. Its listings should have pages of 3, so that several are read. */
export function describeObjectStore(name: string, start: () => ObjectStore): void {
  describe(`object store: ${name}`, () => {
    let store: ObjectStore;
    let prefix: string;
    let key: string;

    beforeAll(() => {
      store = start();
    });
    beforeEach(() => {
      prefix = `users/${randomUUID()}/`;
      // A key is a name and not a path; its characters have no meaning in a URL.
      key = `${prefix}files/a b+ü&?%2F.txt`;
    });

    const write = (at: string, body: string) =>
      store.write(at, Buffer.from(body), { type: 'text/plain' });
    const textOf = async (at: string) => text(await store.read(at));
    const etagOf = async (at: string) => (await store.head(at))?.etag ?? '';

    describe('objects', () => {
      it('returns the written bytes, with size and etag', async () => {
        expect(await store.head(key)).toBeNull();
        await write(key, 'Hello, owl');
        expect(await textOf(key)).toBe('Hello, owl');
        const head = await store.head(key);
        expect(head).toEqual({ size: 10, etag: expect.stringMatching(/./) });
        await write(key, 'Hello, cat');
        expect(await etagOf(key)).not.toBe(head?.etag);
      });

      it('reads a range, both ends included', async () => {
        await write(key, 'Hello, owl');
        expect(await text(await store.read(key, { range: { start: 7, end: 8 } }))).toBe('ow');
        expect(await text(await store.read(key, { range: { start: 7, end: 99 } }))).toBe('owl');
      });

      it('writes a stream of any size, and nothing of one that fails', async () => {
        const piece = Buffer.alloc(1024 * 1024, 'owl');
        const of = (count: number) => Readable.from(Array.from({ length: count }, () => piece));
        await store.writeStream(key, of(12), { type: 'application/zip' });
        expect(await store.head(key)).toMatchObject({ size: 12 * piece.length });
        await store.writeStream(key, of(0), { type: 'application/zip' });
        expect(await store.head(key)).toMatchObject({ size: 0 });
        const other = `${prefix}other`;
        const failing = Readable.from(
          (async function* () {
            for (let n = 0; n < 8; n += 1) yield piece;
            throw new Error('The source is gone.');
          })(),
        );
        const written = store.writeStream(other, failing, { type: 'application/zip' });
        await expect(written).rejects.toThrow('The source is gone.');
        expect(await store.head(other)).toBeNull();
      });

      it('reads an empty object', async () => {
        await write(key, '');
        expect(await store.head(key)).toMatchObject({ size: 0 });
        expect(await textOf(key)).toBe('');
      });

      it('reads only the object that the caller has seen', async () => {
        await write(key, 'old');
        const ifMatch = await etagOf(key);
        expect(await text(await store.read(key, { ifMatch }))).toBe('old');
        await write(key, 'new');
        await expect(store.read(key, { ifMatch })).rejects.toThrow(ObjectMissingError);
      });

      it('reports a missing object', async () => {
        await expect(store.read(key)).rejects.toThrow(ObjectMissingError);
        const copy = store.copy({ key, ifMatch: '"x"' }, { key: `${key}2`, type: 'text/plain' });
        await expect(copy).rejects.toThrow(ObjectMissingError);
      });

      it('stops reading on request', async () => {
        await write(key, 'Hello, owl');
        const signal = AbortSignal.abort();
        await expect(store.read(key, { signal })).rejects.toMatchObject({ name: 'AbortError' });
      });

      it('copies only the object that the caller has seen, under another type', async () => {
        await write(key, '<b>old</b>');
        const from = { key, ifMatch: await etagOf(key) };
        const to = { key: `${prefix}copy`, type: 'text/html' };
        await store.copy(from, to);
        await write(key, 'new');
        await expect(store.copy(from, to)).rejects.toThrow(ObjectMissingError);
        expect(await textOf(to.key)).toBe('<b>old</b>');
      });

      it('removes one object, and nothing when there is none', async () => {
        await write(key, 'x');
        await write(`${key}2`, 'y');
        await store.remove(key);
        await store.remove(key);
        expect(await store.head(key)).toBeNull();
        expect(await textOf(`${key}2`)).toBe('y');
      });
    });

    describe('everything of one owner', () => {
      it('is removed over several pages, and nothing of other owners', async () => {
        const mine = Array.from({ length: 8 }, (_, n) => `${prefix}files/${n}`);
        const neighbour = `${prefix.slice(0, -1)}0/file`;
        for (const at of [...mine, neighbour]) await write(at, 'x');
        expect(await store.count(prefix)).toBe(8);
        await store.removeAll(prefix);
        expect(await store.count(prefix)).toBe(0);
        expect(await Promise.all(mine.map(store.head))).toEqual(mine.map(() => null));
        expect(await textOf(neighbour)).toBe('x');
        await store.removeAll(prefix);
      });

      it('includes unfinished uploads', async () => {
        const keys = [`${prefix}a`, `${prefix}b`];
        const uploads = await Promise.all(
          keys.map(async (at) => ({ key: at, uploadId: await store.createUpload(at, TYPE) })),
        );
        expect(await store.count(prefix)).toBe(2);
        await store.removeAll(prefix);
        expect(await store.count(prefix)).toBe(0);
        for (const upload of uploads)
          await expect(store.listParts(upload)).rejects.toThrow(UploadRefusedError);
      });

      it.each(['', '/', 'users/1'])('is refused for %j, which is more than one', async (at) => {
        await expect(store.removeAll(at)).rejects.toThrow('prefix');
      });
    });

    describe('signed addresses', () => {
      it('let their holder put one object', async () => {
        const { url, headers } = await store.signPut(key, { size: 14, ...MINUTE });
        expect(new URL(url).origin).toBe(store.publicOrigin);
        const put = await fetch(url, { method: 'PUT', headers, body: 'from a browser' });
        expect(put.status).toBe(200);
        expect(await textOf(key)).toBe('from a browser');
        expect((await fetch(url)).status).toBe(403);
        const elsewhere = url.replace('.txt', '.exe');
        expect((await fetch(elsewhere, { method: 'PUT', headers, body: 'x' })).status).toBe(403);
      });

      it('bind the type when one is given', async () => {
        const options = { type: 'image/png', size: 1, ...MINUTE };
        const { url, headers } = await store.signPut(key, options);
        expect(headers).toEqual({ 'content-type': 'image/png' });
        const put = (sent: Record<string, string>) =>
          fetch(url, { method: 'PUT', headers: sent, body: 'x' });
        expect((await put({ 'content-type': 'text/html' })).status).toBe(403);
        expect((await put(headers)).status).toBe(200);
      });

      it('bind the length, of a body without a stated one too', async () => {
        const { url } = await store.signPut(key, { size: 4, ...MINUTE });
        for (const body of ['', 'few', 'to much'])
          expect((await fetch(url, { method: 'PUT', body })).status).toBe(403);
        const chunked = { method: 'PUT', body: streamOf('much'), duplex: 'half' } as const;
        expect((await fetch(url, chunked)).status).toBeGreaterThanOrEqual(400);
        expect(await store.head(key)).toBeNull();
        expect((await fetch(url, { method: 'PUT', body: 'much' })).status).toBe(200);
      });

      it('let their holder get one object, answered as the signer says', async () => {
        await write(key, 'Hello, owl');
        const disposition = `attachment; filename*=UTF-8''%C3%BC.txt`;
        const download = { type: 'application/pdf', disposition };
        const { url } = await store.signGet(key, { ...download, ...MINUTE });
        const got = await fetch(url);
        expect(await got.text()).toBe('Hello, owl');
        expect(got.headers.get('content-type')).toBe('application/pdf');
        expect(got.headers.get('content-disposition')).toBe(disposition);
        const changed = url.replace('application%2Fpdf', 'text%2Fhtml');
        expect(changed).not.toBe(url);
        expect((await fetch(changed)).status).toBe(403);
      });
    });

    describe('uploads in parts', () => {
      const begin = async () => ({ key, uploadId: await store.createUpload(key, TYPE) });
      const sendPart = async (upload: Upload, partNumber: number, body: string | Buffer) => {
        const options = { size: Buffer.byteLength(body), ...MINUTE };
        const { url, headers } = await store.signPart({ ...upload, partNumber }, options);
        expect(new URL(url).origin).toBe(store.publicOrigin);
        const put = await fetch(url, { method: 'PUT', headers, body });
        return { PartNumber: partNumber, ETag: put.headers.get('etag') ?? '' };
      };

      it('are joined in the order of their numbers', async () => {
        const first = randomBytes(PART_BYTES);
        const upload = await begin();
        const parts = [await sendPart(upload, 2, 'the end'), await sendPart(upload, 1, first)];
        expect(await store.head(key)).toBeNull();
        await store.completeUpload(upload, parts);
        const stored = await buffer(await store.read(key));
        expect(stored.equals(Buffer.concat([first, Buffer.from('the end')]))).toBe(true);
      });

      it('are listed over several pages, each with its latest bytes', async () => {
        const upload = await begin();
        expect(await store.listParts(upload)).toEqual([]);
        for (const n of [1, 2, 3, 4, 5]) await sendPart(upload, n, 'x'.repeat(n));
        const { ETag } = await sendPart(upload, 2, 'again');
        const listed = await store.listParts(upload);
        expect(listed.map(({ PartNumber, Size }) => [PartNumber, Size])).toEqual([
          [1, 1],
          [2, 5],
          [3, 3],
          [4, 4],
          [5, 5],
        ]);
        expect(listed[1]?.ETag).toBe(ETag);
      });

      it('have the length that they were signed for', async () => {
        const upload = await begin();
        const { url } = await store.signPart({ ...upload, partNumber: 1 }, { size: 4, ...MINUTE });
        for (const body of ['', 'few', 'to much'])
          expect((await fetch(url, { method: 'PUT', body })).status).toBe(403);
        expect(await store.listParts(upload)).toEqual([]);
      });

      it('may be completed again', async () => {
        const upload = await begin();
        const parts = [await sendPart(upload, 1, 'once')];
        await store.completeUpload(upload, parts);
        await store.completeUpload(upload, parts);
        expect(await textOf(key)).toBe('once');
      });

      it('are refused when one is missing, changed or too small', async () => {
        const upload = await begin();
        const parts = [await sendPart(upload, 1, 'small'), await sendPart(upload, 2, 'end')];
        const complete = (chosen: typeof parts) => store.completeUpload(upload, chosen);
        await expect(complete(parts)).rejects.toThrow(UploadRefusedError);
        const missing = [{ PartNumber: 3, ETag: '"00000000000000000000000000000000"' }];
        await expect(complete(missing)).rejects.toThrow(UploadRefusedError);
        const [first] = parts;
        await sendPart(upload, 1, 'other');
        await expect(complete(first ? [first] : [])).rejects.toThrow(UploadRefusedError);
        expect(await store.head(key)).toBeNull();
      });

      it('are gone once aborted', async () => {
        const upload = await begin();
        const parts = [await sendPart(upload, 1, 'x')];
        await store.abortUpload(upload);
        await store.abortUpload(upload);
        await expect(store.listParts(upload)).rejects.toThrow(UploadRefusedError);
        await expect(store.completeUpload(upload, parts)).rejects.toThrow(UploadRefusedError);
        expect(await store.head(key)).toBeNull();
      });

      it('belong to their key', async () => {
        const other = { ...(await begin()), key: `${prefix}other` };
        await expect(store.listParts(other)).rejects.toThrow(UploadRefusedError);
      });
    });
  });
}

const streamOf = (text: string) => new Blob([text]).stream();

interface Upload {
  key: string;
  uploadId: string;
}
const TYPE = { type: 'application/octet-stream' };
