import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';

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

/** The key under which limits count an IP address: an IPv6 subscriber usually has a whole /64. */
export function addressKey(address: string): string {
  const ip = address.replace(/^::ffff:(?=\d+\.)/i, '');
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
