import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { onPath } from '../embedded/debian.mjs';
import { freePort } from '../embedded/run/ports.ts';
import { startProcess, startRedis, temporaryFolder } from './processes.ts';
import { longText, startStack } from './stack.ts';

/** A certificate of this machine's address, and the authority that has signed it and that nobody else trusts. */
async function makeCertificates() {
  const folder = await temporaryFolder();
  const at = (name: string) => path.join(folder, name);
  const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' });
  const keyOf = (name: string) => ['-newkey', 'rsa:2048', '-nodes', '-keyout', at(`${name}.key`)];
  const ofAuthority = ['-x509', '-days', '1', '-subj', '/CN=Test authority'];
  openssl('req', ...ofAuthority, ...keyOf('ca'), '-out', at('ca.crt'));
  openssl('req', '-subj', '/CN=Test Redis', ...keyOf('redis'), '-out', at('redis.csr'));
  await writeFile(at('names'), 'subjectAltName=IP:127.0.0.1');
  const signed = ['-CA', at('ca.crt'), '-CAkey', at('ca.key'), '-CAcreateserial', '-days', '1'];
  const given = ['-in', at('redis.csr'), '-extfile', at('names'), '-out', at('redis.crt')];
  openssl('x509', '-req', ...signed, ...given);
  return { authority: at('ca.crt'), certificate: at('redis.crt'), key: at('redis.key') };
}

it.skipIf(!onPath('openssl'))(
  'a Redis that accepts only TLS serves replies to processes that trust its authority, and no others start',
  async () => {
    const { authority, certificate, key } = await makeCertificates();
    const port = await freePort();
    await startRedis({
      port: '0',
      'tls-port': String(port),
      'tls-cert-file': certificate,
      'tls-key-file': key,
      'tls-ca-cert-file': authority,
      'tls-auth-clients': 'no',
    });
    const REDIS_URL = `rediss://127.0.0.1:${port}`;
    const stack = await startStack({ REDIS_URL, NODE_EXTRA_CA_CERTS: authority });
    const text = longText(20);
    stack.provider.onMessage(/.*/, { content: text });
    const ada = await stack.guest();
    const id = await ada.conversation();
    const tab = await ada.tab(id);
    expect((await ada.send(id, 'Hello')).status).toBe(202);
    await expect.poll(() => tab.reply.status).toBe('complete');
    expect(tab.reply.text).toBe(text);

    const env = { ...stack.env, NODE_EXTRA_CA_CERTS: undefined };
    await expect(startProcess('web', { env: { ...env, PORT: undefined } })).rejects.toThrow(
      /Redis/,
    );
  },
);
