// The largest input that each route, card and file kind accepts, built from the most expensive texts for parsers and patterns. Used by
// hostile.test.ts, which asserts that other users are served correctly meanwhile, and by the benchmark `hostile`, which times them.
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import * as z from 'zod';
import type { SearchPage } from '../src/contract/conversations.ts';
import * as contract from '../src/contract/index.ts';
import { makeZipBomb } from './documents.ts';
import type { ApiClient } from './stack.ts';

/** A signed-in user. */
type Caller = Pick<ApiClient, 'url' | 'token' | 'call'>;

export interface Attack {
  name: string;
  /** Method and path for the call of a single route; `run` returns its status. */
  route?: string;
  run: (attacker: Caller) => Promise<unknown>;
}

const MB = 1024 * 1024;
/** Maximum length of a text for fields without a limit. */
const MAX_LENGTH = 32_000;

/** Texts on which a pattern with two ways to match takes at least quadratic time. */
const UNITS = {
  dashes: '-',
  tabs: '\t|',
  backticks: '$ `',
  sections: '§',
  braces: '{{//',
  brackets: '[![',
  lines: '\n',
  quotes: '> "',
  stars: '**_',
  digits: '1.',
  tags: '<b>x',
  sentences: 'a. ',
  addresses: 'a@',
  accents: 'é\u0301',
} as const;

const textOf = (unit: string, length: number): string =>
  `${unit.repeat(Math.ceil(length / unit.length)).slice(0, length - 1)}x`;

/** Texts with a word that a search finds. */
const messageOf = (unit: string): string => `needle\n${textOf(unit, MAX_LENGTH - 8)}`;

/** The attacker's objects, by the word before `:id` in a path. */
type Own = Record<string, string>;

interface Route {
  method: string;
  path: string;
  /** The name of the contract's schema for its body or query. */
  input: string | undefined;
}

/** Routes that end the attacker's session or account, or begin another one. */
export const ENDING = new Set([
  'POST /auth/guest',
  'POST /auth/signout',
  'DELETE /auth/user',
  'DELETE /auth/sessions',
]);

/** Routes that replace the session of their caller, and are therefore called without one. */
export const BEGINNING = new Set([
  'POST /auth/complete',
  'POST /auth/login',
  'POST /auth/register',
  'POST /auth/password/reset',
]);

const DECLARED = /\.(get|post|put|patch|delete|all)\(\s*\[?(?='\/)/;

/** The routes of the product as the files in the folder `sources` declare them. */
export function declaredRoutes(sources: string): Route[] {
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' });
  const found = files.flatMap((file) => {
    if (!file.endsWith('.ts') || file.endsWith('.test.ts')) return [];
    const code = readFileSync(path.join(sources, file), 'utf8');
    // Split by a pattern with one group: the text before each declaration, its method, and the rest.
    const [, ...declared] = code.split(DECLARED);
    return declared.flatMap((method, at): Route[] => {
      if (at % 2 === 1) return [];
      const text = declared[at + 1] ?? '';
      const input = /\b(?:body|query): ([A-Z]\w+)/.exec(text)?.[1];
      const route = /^'([^'{]+)'/.exec(text)?.[1];
      return route ? [{ method: method.toUpperCase(), path: route, input }] : [];
    });
  });
  // A route that is declared for several set-ups is one.
  return [...new Map(found.map((it) => [`${it.method} ${it.path}`, it])).values()];
}

/** The routes of the API that one attacker can call one after the other. */
export const routes = (sources: string): Route[] =>
  declaredRoutes(sources)
    // Pages for test payments are not under /api.
    .filter(({ method, path }) => !ENDING.has(`${method} ${path}`) && !path.startsWith('/test-'))
    // Deletions come last, because the other calls need the objects.
    .toSorted((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** The largest value that a schema allows, with texts made of `unit`. */
function largest(schema: JsonSchema, unit: string): unknown {
  const options = schema.anyOf ?? schema.oneOf;
  // A model or persona that the product does not know would be refused first.
  if (options?.some(({ type }) => type === 'null')) return null;
  if (options?.[0]) return largest(options[0], unit);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  switch (schema.type) {
    case 'string':
      return stringOf(schema, unit);
    case 'number':
    case 'integer':
      // Without a limit it is a version or a count: the first one is valid.
      return schema.maximum && schema.maximum < Number.MAX_SAFE_INTEGER ? schema.maximum : 1;
    case 'boolean':
      return true;
    case 'array': {
      const item = largest((schema.items ?? {}) as JsonSchema, unit);
      return Array.from({ length: Math.min(schema.maxItems ?? 20, 100) }, () => item);
    }
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          // Optional ids are left out, because they would name missing objects.
          .filter(
            ([name, it]) =>
              schema.required?.includes(name) || !(isId(it as JsonSchema) || name === 'ids'),
          )
          .map(([name, property]) => [name, largest(property as JsonSchema, unit)]),
      );
    default:
      return textOf(unit, MAX_LENGTH);
  }
}

/** Whether a value is an id. */
const isId = ({ pattern, items, properties }: JsonSchema): boolean =>
  pattern?.includes('{24}') ||
  [items, properties?.['id']].some((it) => it !== undefined && isId(it as JsonSchema));

function stringOf({ format, pattern, maxLength = MAX_LENGTH }: JsonSchema, unit: string): string {
  if (format === 'uuid') return randomUUID();
  if (format === 'date-time') return new Date(0).toISOString();
  if (format === 'email') return `${randomUUID()}@example.com`;
  if (pattern?.includes('{24}')) return 'a'.repeat(24);
  return textOf(unit, Math.min(maxLength, 400_000));
}

function schemaOf(name: string | undefined): JsonSchema {
  const schema: unknown = name && (contract as Record<string, unknown>)[name];
  if (!(schema instanceof z.ZodType)) return { type: 'object' };
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
}

/** Reasons why routes take no such input. Every new route is named here or takes it: hostile.test.ts compares. */
const REFUSED_FOR: Record<string, string[]> = {
  'a secret that the attacker does not have': [
    'POST /auth/password',
    'POST /auth/password/reset',
    'POST /auth/email',
    'POST /auth/email/confirm',
    'POST /auth/login',
    'POST /account/export',
    'POST /account/export/address',
    'POST /auth/complete',
    'POST /stripe/webhook',
    'POST /invitations/read',
    'POST /invitations/accept',
  ],
  'the id of something that does not exist': [
    'POST /stripe/checkout',
    'POST /subscription/verify',
    'POST /stripe/upgrade',
    'POST /objects/attach',
    'POST /memories/undo',
    'POST /personas/fusion/preview',
    'POST /personas/fusion',
    'POST /personas/drafts',
    'POST /conversations/estimate',
    'PUT /conversations/:id/grants',
    'PUT /personas/:id/grants',
    'PUT /files/:id/grants',
    'GET /deletions/:id',
    'GET /s3/multipart/:uploadId',
    'GET /s3/multipart/:uploadId/:partNumber',
    'POST /s3/multipart/:uploadId/complete',
    'DELETE /s3/multipart/:uploadId',
    'DELETE /auth/sessions/:id',
    'GET /shares/:id/files/:ref',
    'POST /shares',
    'POST /shares/preview',
    'POST /shares/:id/continue',
    'DELETE /workspaces/:id/shares/:shareId',
    'POST /workspaces/:id/invitations/:invitationId/mail',
    'DELETE /workspaces/:id/invitations/:invitationId',
    'PATCH /workspaces/:id/members/:userId',
    'DELETE /workspaces/:id/members/:userId',
    'GET /workspaces/:id/members/:userId/leaving',
    'POST /workspaces/:id/transfer',
  ],
  'its state: nothing is deleted, unfinished, pending or offered, and the workspace exists': [
    'POST /conversations/:id/restore',
    'POST /replies/:id/continue',
    'POST /memories/:id/reject',
    'POST /workspaces',
    'DELETE /workspaces/:id/transfer',
    'POST /workspaces/:id/transfer/accept',
  ],
  'a verified address of a domain of their own': [
    'PUT /workspaces/:id/domains',
    'POST /workspaces/:id/join',
  ],
  'a picture that a text does not have': [
    'GET /files/:id/pages/:n/picture',
    'GET /files/:id/thumbnail',
    'GET /personas/:id/picture',
  ],
  'a file, which other attacks send': [
    'POST /conversations/import',
    'POST /files',
    'POST /personas/import',
    'GET /s3/params',
  ],
  'a service that is not set up': [
    'GET /auth/google',
    'GET /auth/google/callback',
    'GET /login',
    'GET /login/callback',
    'POST /auth/google/start',
    'POST /auth/google',
    'GET /s3/sts',
  ],
};
export const REFUSING: readonly string[] = Object.values(REFUSED_FOR).flat();

/** Longer bodies do not reach a schema. */
const MAX_BODY_BYTES = 250 * 1024;
/** Node refuses longer URLs. */
const MAX_QUERY_BYTES = 12_000;

/** The value as JSON, with fewer items in its lists until it fits the maximum body. */
export function bodyOf(value: unknown): string {
  const text = JSON.stringify(value);
  if (Buffer.byteLength(text) <= MAX_BODY_BYTES) return text;
  const halved: unknown = JSON.parse(text, (_, it: unknown) =>
    Array.isArray(it) ? it.slice(0, Math.ceil(it.length / 2)) : it,
  );
  return JSON.stringify(halved) === text ? text : bodyOf(halved);
}

/** The value as a query, with shorter texts until it fits the maximum URL. */
export function queryOf(value: object, length = MAX_QUERY_BYTES): string {
  const fields = Object.entries(value);
  const query = new URLSearchParams(
    fields.map(([name, it]): [string, string] => [name, String(it).slice(0, length)]),
  ).toString();
  return query.length > MAX_QUERY_BYTES ? queryOf(value, Math.floor(length / 2)) : query;
}

/** An object of each kind for the routes. */
export async function ownOf(attacker: Caller): Promise<Own> {
  const message = { content: 'needle' };
  const made = await attacker.call<Created>('POST', '/conversations', { title: 'x', message });
  const replies = made.body.sent?.reply.id ?? '';
  await ended(attacker, replies);
  const persona = await attacker.call<{ id: string }>('POST', '/personas', { name: 'x' });
  const form = new FormData();
  form.append('file', new Blob(['Owls hoot.']), 'owl.txt');
  const headers = { authorization: `Bearer ${attacker.token}` };
  const sent = await fetch(`${attacker.url}/api/files`, { method: 'POST', headers, body: form });
  const { file } = (await sent.json()) as { file: { id: string } };
  await attacker.call('POST', '/memories/import', {
    memories: [{ kind: 'fact', text: randomUUID() }],
  });
  const { body } = await attacker.call<contract.MemoryList>('GET', '/memories');
  const memories = body.memories[0]?.id ?? '';
  const workspace = await attacker.call<{ id: string }>('POST', '/workspaces', { name: 'x' });
  const link = { conversationId: made.body.id, kind: 'live' };
  const share = await attacker.call<{ id: string }>('POST', '/shares', link);
  return {
    conversations: made.body.id,
    replies,
    personas: persona.body.id,
    files: file.id,
    memories,
    workspaces: workspace.body.id,
    shares: share.body.id,
  };
}

/** A body or query that the schema of a route accepts. */
export const inputOf = ({ input }: Pick<Route, 'input'>): object =>
  largest(schemaOf(input), 'x') as object;

/** Every route with the largest body or query that its schema allows, on the attacker's objects. */
function routeAttacks(unit: string, sources: string): Attack[] {
  let own: Promise<Own> | undefined;
  return routes(sources).map(({ method, path: route, input }) => ({
    name: `${method} ${route}`,
    route: `${method} ${route}`,
    run: async (user) => {
      const ids = await (own ??= ownOf(user));
      const attacker = BEGINNING.has(`${method} ${route}`)
        ? { ...user, url: user.url, token: '' }
        : user;
      const value = largest(schemaOf(input), unit);
      const address = route
        .replace(':id', ids[route.split('/')[1] ?? ''] ?? 'a'.repeat(24))
        .replace(/:n$|:n(?=\/)/, '1')
        .replace(/:\w+/g, 'a'.repeat(24));
      if (method === 'GET') return send(attacker, method, `${address}?${queryOf(value as object)}`);
      return send(attacker, method, address, { body: bodyOf(value), type: 'application/json' });
    },
  }));
}

interface Sent {
  reply: { id: string };
}
interface Created {
  id: string;
  sent?: Sent;
}

/** Does some work again and again, with a pause in ms between, at least once, until the attack is over. */
export async function meanwhile(
  attack: Promise<unknown>,
  work: () => Promise<unknown>,
  pauseMs = 0,
) {
  const over = attack.then(() => true);
  // It is rethrown below.
  over.catch(() => undefined);
  do await work();
  while (!(await Promise.race([over, wait(pauseMs).then(() => false)])));
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Asks until the answer is as wanted; what never ends is found by the test's own time-out. */
async function until<T>(ask: () => Promise<T>, isWanted: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (isWanted(answer)) return answer;
    await wait(100);
  }
}

const ended = (attacker: Caller, replyId: string) =>
  until(
    () => attacker.call<{ status: string }>('GET', `/replies/${replyId}`),
    ({ body: { status } }) => status !== 'queued' && status !== 'streaming',
  );

/** Searches until a message of the conversation is found, with what is shown of it. */
const found = (attacker: Caller, conversationId: string) =>
  until(
    () => attacker.call<SearchPage>('GET', '/search?q=needle'),
    ({ body }) => body.results.some((result) => JSON.stringify(result).includes(conversationId)),
  );

/** A user's message in everything that reads it: reply, search, check, export. */
const sentMessage = (unit: string) => async (attacker: Caller) => {
  const message = { content: messageOf(unit) };
  const { body } = await attacker.call<Created>('POST', '/conversations', { title: 'x', message });
  if (!body.sent) throw new Error(`The message was refused: ${JSON.stringify(body)}`);
  const { reply } = body.sent;
  await ended(attacker, reply.id);
  await found(attacker, body.id);
  await attacker.call('POST', `/replies/${reply.id}/check`);
  for (const format of ['md', 'json'])
    await send(attacker, 'GET', `/conversations/${body.id}/export?format=${format}`);
};

/** Imports a conversation of long messages, and reads, searches and exports it. */
const importedConversation = (unit: string) => async (attacker: Caller) => {
  const reply = `needle\n${textOf(unit, 390_000)}`;
  const pair = `## You\n\n${messageOf(unit)}\n\n## STOLAS\n\n${reply}`;
  const count = Math.floor(contract.MAX_IMPORT_BYTES / (Buffer.byteLength(pair) + 10));
  const text = `# x\n\n${Array<string>(count).fill(pair).join('\n\n')}`;
  const clientConversationId = randomUUID();
  const { body } = await attacker.call<Created>('POST', '/conversations/import', {
    format: 'md',
    text,
    clientConversationId,
  });
  if (!body.id) throw new Error(`The import was refused: ${JSON.stringify(body)}`);
  await found(attacker, body.id);
  await attacker.call('GET', `/conversations/${body.id}/messages`);
  await send(attacker, 'GET', `/conversations/${body.id}/export?format=md`);
};

/** Sends an unchanged body and accepts any kind of answer. */
const send = async (
  { url, token }: Caller,
  method: string,
  route: string,
  { body, type }: { body?: string | Uint8Array<ArrayBuffer>; type?: string } = {},
) => {
  const headers = {
    ...(token && { authorization: `Bearer ${token}` }),
    ...(type && { 'content-type': type }),
  };
  const answer = await fetch(`${url}/api${route}`, { method, headers, ...(body && { body }) });
  await answer.arrayBuffer();
  return answer.status;
};

const sendCard = (card: Uint8Array) => async (attacker: Caller) => {
  const body = new Uint8Array(card);
  await send(attacker, 'POST', '/personas/import', { body });
  await send(attacker, 'POST', '/personas/import?accept=true&instructions=true', { body });
};

const cardOf = (data: object) =>
  Buffer.from(
    JSON.stringify({ spec: 'chara_card_v2', data: { name: 'x', first_mes: '', ...data } }),
  );

/** A card with fields of the maximum length. */
function fieldsCard(unit: string): Buffer {
  const text = textOf(unit, 2 * MB - 10_000);
  const entry = { keys: [textOf(unit, 10_000)], content: textOf(unit, 10_000) };
  return cardOf({
    description: textOf(unit, 1_000_000),
    mes_example: text,
    system_prompt: text,
    creator_notes: text,
    character_book: { entries: Array.from({ length: 50 }, () => entry) },
  }).subarray(0, 10 * MB);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** A PNG with many compressed texts of 10 MB each. */
function bombCard(keyword: string): Buffer {
  const head = Buffer.from(`${keyword}\0\x01\0\0\0`, 'latin1');
  const text = chunk('iTXt', Buffer.concat([head, deflateSync(Buffer.alloc(10 * MB, ' '))]));
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0])),
    ...Array<Buffer>(450).fill(text),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const nested = (depth: number) => `${'{"a":['.repeat(depth)}${']}'.repeat(depth)}`;

function cardAttacks(): Attack[] {
  const cards: [string, Buffer][] = [
    ['deep JSON', Buffer.from(nested(500_000))],
    ['10 MB of one text', cardOf({ description: textOf('a', 10 * MB - 1_000) })],
    ['10 MB of short values', cardOf({ x: Array.from({ length: 2_000_000 }, () => 1e20) })],
    [
      'names in names',
      cardOf({ name: textOf('n', 100_000), system_prompt: textOf('{{char}}', 2 * MB) }),
    ],
    ['not a card', Buffer.from(textOf('"\\', 10 * MB))],
    ...Object.entries(UNITS).map(([name, unit]): [string, Buffer] => [name, fieldsCard(unit)]),
    ...['ccv3', 'Comment'].map((word): [string, Buffer] => [
      `a PNG of 450 × ${word}`,
      bombCard(word),
    ]),
  ];
  return cards.map(([name, card]) => ({ name: `card: ${name}`, run: sendCard(card) }));
}

/** Files of the maximum size of a guest, which are read while the next ones are uploaded. */
async function fileAttacks(): Promise<Attack[]> {
  const files: [string, string | Buffer][] = [
    ['deep.html', '<b>x'.repeat(MB)],
    ['table.html', '<table><tr><td>x'.repeat(300_000)],
    ['flat.html', '<p>x<br>'.repeat(100_000)],
    ['deep.json', nested(500_000)],
    ['wide.csv', 'x,'.repeat(2 * MB)],
    ['cells.csv', `x${','.repeat(499)}\n`.repeat(8 * 1024)],
    ['quotes.csv', '"'.repeat(4 * MB)],
    ['mail.eml', `Content-Type: text/html\r\n\r\n${'<ul><li>x'.repeat(400_000)}`],
    ['bomb.docx', await makeZipBomb({ unpackedMb: 150 })],
    ...Object.entries(UNITS).map(([name, unit]): [string, string] => [
      `${name}.md`,
      textOf(unit, 2 * MB),
    ]),
  ];
  return files.map(([name, content]) => ({
    name: `file: ${name}`,
    run: async ({ url, token }) => {
      const form = new FormData();
      form.append('file', new Blob([content]), name);
      const headers = { authorization: `Bearer ${token}` };
      await (await fetch(`${url}/api/files`, { method: 'POST', headers, body: form })).text();
    },
  }));
}

/** Personas with the maximum number of knowledge keys, estimated and previewed. */
const knowledge = (unit: string) => async (attacker: Caller) => {
  const entry = (at: number) => ({
    keys: Array.from({ length: 10 }, (_, key) => `${textOf(unit, 50)}${at}-${key}`),
    text: 'x',
  });
  const entries = Array.from({ length: 100 }, (_, at) => entry(at));
  const fields = { name: 'x', knowledge: entries };
  const made = await attacker.call<{ id: string }>('POST', '/personas', fields);
  const personaIds = Array.from({ length: 5 }, () => made.body.id);
  await attacker.call('POST', '/conversations/estimate', { content: messageOf(unit), personaIds });
  await attacker.call('POST', '/personas/preview', {
    persona: fields,
    messages: [messageOf(unit)],
  });
  await attacker.call('DELETE', `/personas/${made.body.id}`);
};

/** All attacks, one after the other, so that each runs alone with the other user. */
export async function attacks(sources: string): Promise<Attack[]> {
  const ofUnits = Object.entries(UNITS).flatMap(([name, unit]): Attack[] => [
    ...routeAttacks(unit, sources).map((attack) => ({
      ...attack,
      name: `${attack.name}: ${name}`,
    })),
    { name: `message: ${name}`, run: sentMessage(unit) },
    { name: `import: ${name}`, run: importedConversation(unit) },
    { name: `knowledge: ${name}`, run: knowledge(unit) },
  ]);
  return [...(await fileAttacks()), ...ofUnits, ...cardAttacks()];
}
