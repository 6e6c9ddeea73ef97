import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import compression from 'compression';
import express from 'express';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { securityHeaders } from './security-headers.ts';
import { staticFiles } from './static-files.ts';

const SCRIPT = 'export const answer = 42;'.repeat(100);
/** Of files that are not served. */
const HIDDEN = 'not for browsers';

/** Two other builds, each with a file; the third one is not complete. */
const OTHERS = {
  '20261127190000-0123456789ab': 'old-5e6f',
  '20261127190001-ba9876543210': 'later-7a8b',
  '.copying-1': 'partial-9c0d',
};

let dir: string;
/** Has two other builds. */
let assetsDir: string;
let server: Server;
beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'stolas-static-'));
  await mkdir(path.join(dir, 'assets'));
  for (const name of ['assets/app-1a2b.js', 'start.js']) {
    await writeFile(path.join(dir, name), SCRIPT);
    await writeFile(path.join(dir, `${name}.br`), brotliCompressSync(SCRIPT));
    await writeFile(path.join(dir, `${name}.gz`), gzipSync(SCRIPT));
  }
  await writeFile(path.join(dir, 'assets/new-3c4d.js'), SCRIPT);
  await mkdir(path.join(dir, 'frames'));
  for (const name of ['artifact', 'diagram']) {
    await writeFile(path.join(dir, `frames/${name}.html`), '<p>frame</p>');
  }
  await writeFile(
    path.join(dir, 'index.html'),
    '<meta content="%SHOWN%" data-kept="%UNKNOWN%" nonce="%STYLE_NONCE%" />',
  );
  assetsDir = await mkdtemp(path.join(tmpdir(), 'stolas-assets-'));
  await writeFile(path.join(assetsDir, 'secret.js'), HIDDEN);
  for (const [build, name] of Object.entries(OTHERS)) {
    const assets = path.join(assetsDir, build, 'assets');
    await mkdir(assets, { recursive: true });
    await writeFile(path.join(assetsDir, build, 'start.js'), HIDDEN);
    await writeFile(path.join(assets, `${name}.js`), SCRIPT);
    await writeFile(path.join(assets, `${name}.js.br`), brotliCompressSync(SCRIPT));
  }
  const pageValues = { SHOWN: 'soc2"><script>' };
  server = createServer(
    express().use(securityHeaders({}), compression(), staticFiles({ dir, assetsDir, pageValues })),
  );
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
});
afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await rm(dir, { recursive: true, force: true });
  await rm(assetsDir, { recursive: true, force: true });
});

/** Unlike `fetch`, decodes nothing. */
async function send(address: string, headers: Record<string, string> = {}) {
  const { port } = server.address() as AddressInfo;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get({ port, host: '127.0.0.1', path: address, headers }, resolve).on('error', reject);
  });
  return { status: response.statusCode, headers: response.headers, body: await buffer(response) };
}

describe('a file of the build', () => {
  it('has none of the headers of pages, and runs nothing foreign when it is opened as one', async () => {
    const { headers } = await send('/assets/app-1a2b.js', { 'accept-encoding': 'br' });
    expect(headers['content-security-policy']).toBe("default-src 'self'; frame-ancestors 'none'");
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['cross-origin-resource-policy']).toBe('same-origin');
    expect(headers).not.toHaveProperty('etag');
    expect(headers).not.toHaveProperty('last-modified');
    expect(JSON.stringify(headers).length).toBeLessThan(550);
  });

  it('is sent as brotli to a client that accepts it, in any order of its encodings', async () => {
    const { status, headers, body } = await send('/assets/app-1a2b.js', {
      'accept-encoding': 'gzip, deflate, br, zstd',
    });
    expect([status, brotliDecompressSync(body).toString()]).toEqual([200, SCRIPT]);
    expect(headers).toMatchObject({
      'content-encoding': 'br',
      'content-type': 'text/javascript; charset=utf-8',
      'content-length': String(body.length),
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    });
  });

  it('is sent as gzip to a client that refuses brotli', async () => {
    const { headers, body } = await send('/assets/app-1a2b.js', {
      'accept-encoding': 'gzip, br;q=0',
    });
    expect(gunzipSync(body).toString()).toBe(SCRIPT);
    expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
  });

  it('is sent uncompressed to a client that names no encoding', async () => {
    const { headers, body } = await send('/assets/app-1a2b.js');
    expect(body.toString()).toBe(SCRIPT);
    expect(headers['content-encoding']).toBeUndefined();
    expect(headers.vary).toBe('Accept-Encoding');
  });

  it('has one ETag for each encoding and answers 304 to it', async () => {
    const encodings = ['br', 'gzip', 'identity'];
    const tags = [];
    for (const encoding of encodings) {
      const accept = { 'accept-encoding': encoding };
      const { headers } = await send('/start.js', accept);
      expect(headers['cache-control']).toBe('no-cache');
      const again = await send('/start.js', { ...accept, 'if-none-match': headers.etag ?? '' });
      expect([again.status, again.body.length]).toEqual([304, 0]);
      tags.push(headers.etag);
    }
    expect(new Set(tags).size).toBe(encodings.length);
  });

  it('is compressed on the fly when the build wrote no variant', async () => {
    const { headers, body } = await send('/assets/new-3c4d.js', { 'accept-encoding': 'gzip, br' });
    expect(brotliDecompressSync(body).toString()).toBe(SCRIPT);
    expect(headers['content-type']).toBe('text/javascript; charset=utf-8');
  });

  it('is not found under a name that leaves the folder', async () => {
    const { status } = await send('/..%2fsecret.js', { 'accept-encoding': 'br' });
    expect(status).toBe(404);
  });

  it('fills the placeholders of the page with text that stays inside its attribute', async () => {
    const { headers, body } = await send('/', { accept: 'text/html' });
    const nonce = /'nonce-([^']+)'/.exec(String(headers['content-security-policy']))?.[1];
    expect(body.toString()).toBe(
      `<meta content="soc2&#34;&#62;&#60;script&#62;" data-kept="%UNKNOWN%" nonce="${nonce}" />`,
    );
  });
});

describe('fault 32: a file of another build', () => {
  it.each(['old-5e6f', 'later-7a8b'])('%s is sent as one of this build', async (name) => {
    const accept = { 'accept-encoding': 'br' };
    const [own, other] = await Promise.all(
      ['app-1a2b', name].map((it) => send(`/assets/${it}.js`, accept)),
    );
    expect(brotliDecompressSync(other?.body ?? '').toString()).toBe(SCRIPT);
    expect({ ...other?.headers, date: '' }).toEqual({ ...own?.headers, date: '' });
    expect(other?.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    const plain = await send(`/assets/${name}.js`);
    expect([plain.status, plain.body.toString()]).toEqual([200, SCRIPT]);
  });

  it('appears and disappears with its build', async () => {
    const build = path.join(assetsDir, '20261127190002-cccccccccccc');
    const statusOf = async () => (await send('/assets/new-build.js')).status;
    expect(await statusOf()).toBe(404);
    await mkdir(path.join(build, 'assets'), { recursive: true });
    await writeFile(path.join(build, 'assets/new-build.js'), SCRIPT);
    expect(await statusOf()).toBe(200);
    await rm(build, { recursive: true });
    expect(await statusOf()).toBe(404);
  });

  it.each([
    '/assets/partial-9c0d.js',
    '/assets/../secret.js',
    '/assets/..%2fsecret.js',
    '/assets/..%2f..%2fsecret.js',
    '/assets/%2e%2e/%2e%2e/secret.js',
    '/assets/..%2fstart.js%00',
    '/assets/..%5c..%5csecret.js',
    '/20261127190000-0123456789ab/assets/old-5e6f.js',
    '/assets/20261127190000-0123456789ab/assets/old-5e6f.js',
    '/assets/.copying-1/assets/partial-9c0d.js',
    '/assets/',
    '/assets//old-5e6f.js/',
  ])('is not found as %s', async (address) => {
    const { status, body } = await send(address, { 'accept-encoding': 'br' });
    expect([400, 403, 404]).toContain(status);
    expect(body.toString()).not.toContain(HIDDEN);
  });

  it('is found by its own name only: /start.js is the one of this build', async () => {
    expect((await send('/start.js')).body.toString()).toBe(SCRIPT);
  });
});

describe('the page', () => {
  it.each([
    ['/', 200],
    ['/login', 200],
    ['/login/?next=x', 200],
    ['/deleted/65f0', 200],
    ['/s/abc', 200],
    ['/s', 404],
    ['/deleted', 404],
    ['/deleted/65f0/more', 404],
    ['/no/such/page', 404],
    ['/logins', 404],
  ])('%s answers %i', async (address, status) => {
    const answer = await send(address, { accept: 'text/html' });
    expect([answer.status, answer.body.includes('<meta')]).toEqual([status, true]);
  });
});

describe('the page of a public link', () => {
  it('is kept out of search engines, caches and the address lists of other sites', async () => {
    const { headers } = await send('/s/abc', { accept: 'text/html' });
    expect(headers).toMatchObject({
      'x-robots-tag': 'noindex',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
    expect((await send('/login', { accept: 'text/html' })).headers['x-robots-tag']).toBeUndefined();
  });
});

describe('a page of a sandboxed frame', () => {
  it.each(['artifact', 'diagram'])('%s has an origin of its own and no network', async (name) => {
    const { headers } = await send(`/frames/${name}.html`);
    const policy = headers['content-security-policy'] ?? '';
    expect(policy).toMatch(/^sandbox allow-scripts; default-src 'none'; frame-ancestors 'self';/);
    expect(policy).not.toMatch(/allow-(?!scripts)|https?:|\*/);
    expect(headers['x-frame-options']).toBeUndefined();
    expect(headers['x-dns-prefetch-control']).toBe('off');
  });

  const scriptsOf = async (name: string) =>
    String((await send(`/frames/${name}.html`)).headers['content-security-policy'])
      .split(/[;,] ?/)
      .filter((directive) => directive.startsWith('script-src '));

  it('runs our own code and, for an artifact, what that starts from no host', async () => {
    const shell = path.resolve(
      import.meta.dirname,
      '../../../frontend/public/frames/artifact.html',
    );
    const [, script = ''] = /<script>([^]*?)<\/script>/.exec(await readFile(shell, 'utf8')) ?? [];
    const hash = createHash('sha256').update(script).digest('base64');
    expect(await scriptsOf('artifact')).toEqual([
      `script-src 'sha256-${hash}' 'strict-dynamic' 'unsafe-eval'`,
      "script-src 'unsafe-inline' 'unsafe-eval' blob:",
    ]);
    expect(await scriptsOf('diagram')).toEqual(["script-src 'self'"]);
  });

  it('may load hashed files, and no others', async () => {
    const allowed = async (file: string) =>
      (await send(file)).headers['access-control-allow-origin'];
    expect(await allowed('/assets/new-3c4d.js')).toBe('*');
    expect(await allowed('/start.js')).toBeUndefined();
    expect(await allowed('/')).toBeUndefined();
  });
});
