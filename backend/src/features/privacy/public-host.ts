import { isIP } from 'node:net';

/** Endings of names that only a private network knows (RFC 6761, RFC 6762, RFC 8375, and common practice). */
const PRIVATE_ENDING =
  /(^|\.)(localhost|local|internal|intranet|lan|home|corp|private|test|example|invalid|home\.arpa)$/;

/** The host of an address if it is a public name; undefined for names of a private network and for IP addresses. */
export function publicHost(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const host = new URL(address).hostname.toLowerCase().replace(/\.$/, '');
  const isAddress = isIP(host.replace(/^\[|\]$/g, '')) !== 0;
  return isAddress || !host.includes('.') || PRIVATE_ENDING.test(host) ? undefined : host;
}
