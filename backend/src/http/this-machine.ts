import type { Request } from 'express';
import { isLoopback } from '../config.ts';

/** Headers of proxies: `Forwarded`, `Via`, `X-Forwarded-…`, `X-Real-IP` and vendor-specific ones. */
const FORWARDING = /^(?:forwarded|via|x-forwarded-.*|x-real-ip|.*-connecting-ip|.*-client-ip)$/;

/** Whether a request comes from this machine: by host name and connection, without a proxy. */
export function isOfThisMachine({ headers: { host = '', ...headers }, socket }: Request): boolean {
  const isForwarded = Object.keys(headers).some((name) => FORWARDING.test(name));
  const address = socket.remoteAddress?.replace(/^::ffff:/, '') ?? '';
  const isLocal = isLoopback(`http://${host}`) && isLoopback(`http://${inUrl(address)}`);
  return isLocal && !isForwarded;
}

const inUrl = (address: string): string => (address.includes(':') ? `[${address}]` : address);
