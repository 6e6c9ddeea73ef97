import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { temporaryFolder } from './processes.ts';

/** Paths of a certificate of this machine's address, its key, and the authority that has signed it and that nobody else trusts. */
export interface Tls {
  authority: string;
  certificate: string;
  key: string;
}

export async function makeCertificates(): Promise<Tls> {
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

/** The settings of a server or Sentinel that accepts and opens only encrypted connections. */
export const tlsSettings = ({ authority, certificate, key }: Tls, port: number) => ({
  port: '0',
  'tls-port': String(port),
  'tls-cert-file': certificate,
  'tls-key-file': key,
  'tls-ca-cert-file': authority,
  'tls-auth-clients': 'no',
  'tls-replication': 'yes',
});
