import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import type { Request } from 'express';
import { isLoopback } from '../config.ts';

/**
 * The client's IP address behind `proxies` trusted proxies, as express's numeric `trust proxy` finds it. For upgrades, which express does
 * not handle.
 */
export function clientAddress(
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
  proxies: number,
): string {
  const forwarded = String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((address) => address.trim())
    .filter(Boolean);
  const addresses = [socket.remoteAddress ?? '', ...forwarded.toReversed()];
  return addresses[Math.min(proxies, addresses.length - 1)] ?? '';
}

/** A port behind an IPv4 address, or behind an IPv6 address in brackets. */
const PORT = /^(?:([\d.]+)|\[(.+)\]):\d+$/;

/**
 * The key under which limits count an IP address: an IPv6 subscriber usually has a whole /64. Some proxies add the client's port to
 * X-Forwarded-For (Microsoft, 'How an application gateway works'), which each connection could change.
 */
export function addressKey(address: string): string {
  const ip = address.replace(PORT, '$1$2').replace(/^::ffff:(?=\d+\.)/i, '');
  return isIPv6(ip) ? network64(ip) : ip;
}

function network64(ip: string): string {
  const [head = '', tail] = ip.split('%')[0]?.split('::') ?? [];
  const groups = head.split(':').filter(Boolean);
  const missing =
    tail === undefined ? 0 : 8 - groups.length - tail.split(':').filter(Boolean).length;
  const all = [...groups, ...Array<string>(missing).fill('0')];
  return `${all.slice(0, 4).join(':')}::/64`.toLowerCase();
}

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
