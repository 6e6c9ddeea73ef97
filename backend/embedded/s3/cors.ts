// The other origins that may use a bucket from a browser. https://fetch.spec.whatwg.org/#http-cors-protocol
import type { IncomingMessage } from 'node:http';
import { invalidRequest, malformedXml, S3Error } from './errors.ts';
import { headerOf } from './request.ts';
import {
  element,
  elementsIn,
  plainXml,
  requireKnown,
  text,
  textIn,
  textsIn,
  xmlDocument,
} from './xml.ts';

export interface CorsRule {
  /** With at most one `*` each, as in S3. */
  readonly origins: readonly string[];
  readonly methods: readonly string[];
  readonly headers: readonly string[];
  readonly expose: readonly string[];
  /** Seconds. */
  readonly maxAge?: number;
}

const CORS_XML = [
  'CORSConfiguration',
  'CORSRule',
  'ID',
  'AllowedOrigin',
  'AllowedMethod',
  'AllowedHeader',
  'ExposeHeader',
  'MaxAgeSeconds',
];

/** @throws S3Error MalformedXML, InvalidRequest */
export function parseCors(source: string): CorsRule[] {
  const rules = elementsIn(requireKnown(plainXml(source), CORS_XML), 'CORSRule').map((rule) => {
    const maxAge = textIn(rule, 'MaxAgeSeconds');
    return {
      origins: textsIn(rule, 'AllowedOrigin'),
      methods: textsIn(rule, 'AllowedMethod'),
      headers: textsIn(rule, 'AllowedHeader'),
      expose: textsIn(rule, 'ExposeHeader'),
      ...(maxAge !== undefined && /^\d{1,9}$/.test(maxAge) && { maxAge: Number(maxAge) }),
    };
  });
  if (rules.length === 0) throw malformedXml();
  for (const { methods, expose } of rules) {
    if (methods.some((method) => !['GET', 'PUT', 'POST', 'DELETE', 'HEAD'].includes(method)))
      throw invalidRequest('Found an unsupported HTTP method in the CORS configuration.');
    if (expose.some((name) => !/^[\w-]+$/.test(name)))
      throw invalidRequest('ExposeHeader must be the name of a header.');
  }
  return rules;
}

/** @throws S3Error NoSuchCORSConfiguration */
export function formatCors(rules: readonly CorsRule[]): string {
  if (rules.length === 0)
    throw new S3Error(404, 'NoSuchCORSConfiguration', 'The CORS configuration does not exist.');
  return xmlDocument(
    'CORSConfiguration',
    ...rules.map((rule) =>
      element(
        'CORSRule',
        ...rule.origins.map((value) => text('AllowedOrigin', value)),
        ...rule.methods.map((value) => text('AllowedMethod', value)),
        ...rule.headers.map((value) => text('AllowedHeader', value)),
        ...rule.expose.map((value) => text('ExposeHeader', value)),
        rule.maxAge === undefined ? '' : text('MaxAgeSeconds', rule.maxAge),
      ),
    ),
  );
}

/** The headers that let the requesting origin read the answer; undefined when no rule allows it or the request has no origin. */
export function corsHeaders(
  incoming: IncomingMessage,
  rules: readonly CorsRule[],
): Record<string, string> | undefined {
  const { origin } = incoming.headers;
  if (origin === undefined) return undefined;
  const method = incoming.headers['access-control-request-method'] ?? incoming.method ?? '';
  const wanted = (headerOf(incoming, 'access-control-request-headers') ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter(Boolean);
  const rule = rules.find(
    ({ origins, methods, headers }) =>
      origins.some((pattern) => matches(pattern, origin)) &&
      methods.includes(method) &&
      wanted.every((name) => headers.some((pattern) => matches(pattern, name))),
  );
  if (!rule) return undefined;
  return {
    'access-control-allow-origin': rule.origins.includes('*') ? '*' : origin,
    'access-control-allow-methods': rule.methods.join(', '),
    ...(wanted.length > 0 && { 'access-control-allow-headers': wanted.join(', ') }),
    ...(rule.expose.length > 0 && { 'access-control-expose-headers': rule.expose.join(', ') }),
    ...(rule.maxAge !== undefined && { 'access-control-max-age': String(rule.maxAge) }),
    vary: 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method',
  };
}

/** Not a regular expression, because a rule could create one with exponential time. */
function matches(pattern: string, value: string): boolean {
  const [start = '', ...end] = pattern.toLowerCase().split('*');
  const lower = value.toLowerCase();
  if (end.length === 0) return lower === start;
  const tail = end.join('*');
  return (
    lower.length >= start.length + tail.length && lower.startsWith(start) && lower.endsWith(tail)
  );
}
