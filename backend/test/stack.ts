import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { LLMock } from '@copilotkit/aimock';
import { freePort } from '../embedded/run/ports.ts';
import type { TokenResult } from '../src/contract/auth.ts';
import type { Conversation } from '../src/contract/conversations.ts';
import type { AttachedFile } from '../src/contract/files.ts';
import type { Message, Reply, SentMessage } from '../src/contract/messages.ts';
import { atEnd } from './at-end.ts';
import { type Payments, startPayments } from './payments.ts';
import { ownDatabase, startProcess, startRedis, type TestProcess } from './processes.ts';
import { openTab, type Tab } from './tab.ts';

/** A separate web and worker process, with a provider whose answers the test sets. */
export interface Stack {
  web: TestProcess;
  worker: TestProcess;
  redis: TestProcess;
  provider: LLMock;
  /** The payment provider, unless the settings name another one. */
  payments: Payments;
  env: Record<string, string>;
  /** A new guest, signed in. */
  guest: () => Promise<ApiClient>;
  /** A user with the token of an existing session, on any web process. */
  api: (token: string, url?: string) => ApiClient;
}

/** Starts a stack on a separate database; it ends with the test file. `folder` has a separate build. */
export async function startStack(
  env: Record<string, string> = {},
  { folder }: { folder?: string } = {},
): Promise<Stack> {
  // A separate Redis: stacks must not take each other's jobs, and a test may kill it.
  const redis = await startRedis();
  const provider = new LLMock({ port: 0, chunkSize: 20 });
  await provider.start();
  atEnd(() => provider.stop());
  const port = await freePort();
  const payments = await startPayments({ pagesUrl: `http://localhost:${port}` });
  const settings = {
    ...payments.env,
    MONGODB_URI: ownDatabase(),
    REDIS_URL: redis.url,
    OPENAI_BASE_URL: `http://127.0.0.1:${provider.port}/v1`,
    OPENAI_API_KEY: 'test',
    RATE_LIMITS: 'false',
    DRAIN_SECONDS: '1',
    UNREADY_SECONDS: '0',
    SOCKET_DRAIN_SECONDS: '0',
    LOG_LEVEL: 'warn',
    OCR: 'false',
    ...env,
  };
  const [web, worker] = await Promise.all([
    startProcess('web', { env: { PORT: String(port), ...settings }, folder }),
    startProcess('worker', { env: settings, folder }),
  ]);
  payments.sendEvents(web.url);
  const api = (token: string, url = web.url) => new ApiClient(url, token);
  const guest = async () => {
    const nobody = api('');
    const { token } = await patiently(() => nobody.post<TokenResult>('/auth/guest'));
    return api(token);
  };
  return { web, worker, redis, provider, payments, env: settings, guest, api };
}

/** Status and parsed body of a call. */
export interface Answer<T> {
  status: number;
  body: T;
  headers: Headers;
}

const REPEAT_MS = 500;

/** The body of the answer. Like the page, repeats the call while the server is unavailable; any other status than `wanted` throws. */
async function patiently<T>(call: () => Promise<Answer<T>>, wanted = 200): Promise<T> {
  let answer = await call();
  while (answer.status === 503) {
    await sleep(REPEAT_MS);
    answer = await call();
  }
  if (answer.status !== wanted)
    throw new Error(`The call failed: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** A user of the product over HTTP and sockets. */
export class ApiClient {
  constructor(
    readonly url: string,
    readonly token: string,
  ) {}

  /** A string is sent unchanged, as JSON; an answer that is no JSON is its text. */
  async call<T>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<T>> {
    const isRaw = body instanceof FormData || typeof body === 'string';
    const response = await fetch(`${this.url}/api${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(this.token && { authorization: `Bearer ${this.token}` }),
        ...(body !== undefined &&
          !(body instanceof FormData) && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: isRaw ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json');
    return {
      status: response.status,
      body: (isJson ? JSON.parse(text) : text || undefined) as T,
      headers: response.headers,
    };
  }

  get = <T>(path: string) => this.call<T>('GET', path);
  post = <T>(path: string, body?: unknown) => this.call<T>('POST', path, body);
  patch = <T>(path: string, body?: unknown) => this.call<T>('PATCH', path, body);

  async conversation(): Promise<string> {
    const create = () => this.post<Conversation>('/conversations', { title: 'A talk' });
    return (await patiently(create, 201)).id;
  }

  send(conversationId: string, content: string, clientMessageId: string = randomUUID()) {
    return this.post<SentMessage>(`/conversations/${conversationId}/messages`, {
      content,
      clientMessageId,
    });
  }

  /** Sends a message after another one than the active leaf; with null it is a first message. */
  branch(conversationId: string, content: string, parentId: string | null) {
    return this.post<SentMessage>(`/conversations/${conversationId}/messages`, {
      content,
      clientMessageId: randomUUID(),
      parentId,
    });
  }

  messages(conversationId: string): Promise<Message[]> {
    return patiently(() => this.get<Message[]>(`/conversations/${conversationId}/messages`));
  }

  /** The last reply of the active path, from the database and the log. */
  async reply(conversationId: string): Promise<Reply> {
    return (await this.messages(conversationId)).at(-1) as Reply;
  }

  /** Uploads a file as a form. */
  upload(
    name: string,
    content: Uint8Array | string,
    purpose: 'chat' | 'library' = 'library',
  ): Promise<AttachedFile> {
    const form = new FormData();
    form.append('file', new Blob([Uint8Array.from(Buffer.from(content))]), name);
    return patiently(() => this.post<AttachedFile>(`/files?purpose=${purpose}`, form));
  }

  /** Opens a tab on a conversation: a socket and the product's own reducer. */
  tab(conversationId: string): Promise<Tab> {
    return openTab(this, conversationId);
  }
}

/** A text without repetitions, so that any lost, doubled or moved part is detected. */
export const longText = (pieces: number): string =>
  Array.from({ length: pieces }, (_, i) => `word-${i} 🦉 `).join('');
