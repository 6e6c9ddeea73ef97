import type { Conversation, Message, Reply, ServerEvents, User } from '@stolas/backend/contract';
import { testUser } from '../../lib/user.fixture.ts';

let people = 0;

/** The server as a tab sees it, at the network's edge: `fetch` and the socket. */
export class TestServer {
  /** Somebody new each time: what the browser keeps, it keeps per person. */
  user: User = testUser({
    id: `u${(people += 1)}`,
    lastName: 'Lovelace',
    subscriptionStatus: 'active',
    subscriptionPlan: 'starter',
  });
  conversations: Conversation[] = [];
  messages: Record<string, Message[]> = {};
  readonly requests: { method: string; path: string; body: unknown }[] = [];
  private readonly answers = new Map<string, () => Promise<Response>>();
  private readonly socketHandlers = new Map<string, (argument?: unknown) => void>();

  readonly fetch = async (path: string, init?: { method?: string; body?: string }) => {
    const method = init?.method ?? 'GET';
    const body: unknown = init?.body ? JSON.parse(init.body) : undefined;
    this.requests.push({ method, path, body });
    const prepared = this.answers.get(`${method} ${path}`);
    if (prepared) return prepared();
    return this.usual(method, path, body);
  };

  /** Answers the next calls of `route` ('POST /api/…') in this way. */
  answer(route: string, status: number, body: unknown): void {
    this.answers.set(route, async () => json(status, body));
  }

  /** Lets calls of `route` wait. @returns a function that lets them go on as usual. */
  hold(route: string): () => void {
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    this.answers.set(route, async () => {
      await gate;
      const [method = '', path = ''] = route.split(' ');
      const { body } = this.requests.findLast((request) => request.path === path) ?? {};
      return this.usual(method, path, body);
    });
    return () => {
      this.answers.delete(route);
      open();
    };
  }

  usually(route: string): void {
    this.answers.delete(route);
  }

  posted(path: string): unknown[] {
    return this.requests
      .filter((request) => request.method === 'POST' && request.path === path)
      .map(({ body }) => body);
  }

  push<E extends keyof ServerEvents>(event: E, ...args: Parameters<ServerEvents[E]>): void {
    this.socketHandlers.get(event)?.(args[0]);
  }

  connect = (): void => this.socketHandlers.get('connect')?.();

  /** What `io()` gives. */
  readonly io = () => ({
    on: (event: string, handler: (argument?: unknown) => void) => {
      this.socketHandlers.set(event, handler);
    },
    connect: () => {},
    disconnect: () => {},
    active: true,
    connected: true,
  });

  private usual(method: string, path: string, body: unknown): Response {
    if (path === '/api/auth/user') return json(200, this.user);
    if (path === '/api/conversations') {
      if (method === 'GET') return json(200, this.conversations);
      const made = conversation('made', (body as { title: string }).title);
      this.messages[made.id] = [];
      return json(201, made);
    }
    const id = /^\/api\/conversations\/(\w+)\/messages$/.exec(path)?.[1];
    const held = id && this.messages[id];
    if (!id || !held) return json(404, { message: 'Not there.', code: 'not_found' });
    if (method === 'GET') return json(200, held);
    const { content, clientMessageId } = body as { content: string; clientMessageId: string };
    const turn = makeTurn(id, { content, clientMessageId });
    held.push(turn.message, turn.reply);
    return json(202, turn);
  }
}

export const json = (status: number, body: unknown): Response =>
  new Response(JSON.stringify(body), { status });

export const conversation = (id: string, title: string, day = 1): Conversation => ({
  id,
  title,
  createdAt: `2026-01-0${day}T10:00:00.000Z`,
  updatedAt: `2026-01-0${day}T10:00:00.000Z`,
});

export const makeReply = (conversationId: string, more: Partial<Reply> = {}): Reply => ({
  id: 'r1',
  conversationId,
  role: 'assistant',
  content: '',
  createdAt: '2026-01-01T10:00:01.000Z',
  parentId: 'm1',
  status: 'queued',
  attempt: 0,
  ...more,
});

export const makeTurn = (
  conversationId: string,
  { content, clientMessageId }: { content: string; clientMessageId: string },
) => ({
  message: {
    id: 'm1',
    conversationId,
    role: 'user' as const,
    content,
    clientMessageId,
    createdAt: '2026-01-01T10:00:00.000Z',
  },
  reply: makeReply(conversationId),
});
