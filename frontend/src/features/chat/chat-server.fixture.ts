import {
  CONVERSATION_PAGE_SIZE,
  type Conversation,
  type CreateConversationBody,
  conversationCursor,
  type LedgerLine,
  type Message,
  type Reply,
  type ReplyUsage,
  type SendMessageBody,
  type SentMessage,
  type ServerEvents,
  type User,
  type UserMessage,
} from '@stolas/backend/contract';
import { testUser } from '../../lib/user.fixture.ts';

let users = 0;

/** The server as a tab sees it, at the network's edge: `fetch` and the socket. */
export class TestServer {
  /** A new user each time: the browser stores drafts and stars per user. */
  user: User = testUser({
    id: `u${(users += 1)}`,
    lastName: 'Lovelace',
    subscriptionStatus: 'active',
    subscriptionPlan: 'starter',
  });
  conversations: Conversation[] = [];
  /** Every message of a conversation, in the order in which they were created; `parentId` makes them a tree. */
  messages: Record<string, Message[]> = {};
  readonly requests: { method: string; path: string; body: unknown }[] = [];
  /** What the tab has told by its socket. */
  readonly emitted: unknown[][] = [];
  /** Deleted conversations that can be restored. */
  readonly deleted = new Map<string, Conversation>();
  private readonly answers = new Map<string, () => Promise<Response>>();
  private readonly socketHandlers = new Map<string, (argument?: unknown) => void>();

  readonly fetch = async (path: string, init?: { method?: string; body?: string }) => {
    const method = init?.method ?? 'GET';
    const body: unknown = init?.body ? JSON.parse(init.body) : undefined;
    this.requests.push({ method, path, body });
    const plain = path.replace(/\?.*/, '');
    const prepared =
      this.answers.get(`${method} ${path}`) ?? this.answers.get(`${method} ${plain}`);
    if (prepared) return prepared();
    return this.usual(method, path, body);
  };

  /** Answers the next calls of `route` ('POST /api/…', with or without the query) in this way. */
  answer(route: string, status: number, body: unknown): void {
    this.answers.set(route, async () => json(status, body));
  }

  /** Answers with the charges of the reply r1. */
  answerUsage(entries: LedgerLine[], tokens = 0): void {
    const usage: ReplyUsage = { replyId: 'r1', tokens, entries };
    this.answer('GET /api/replies/r1/usage', 200, usage);
  }

  /** How often charges were asked for. */
  get usageReads(): number {
    return this.requests.filter(({ path }) => path.endsWith('/usage')).length;
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
      const asked = this.requests.findLast(
        (request) => request.method === method && request.path.startsWith(path),
      );
      return this.usual(method, asked?.path ?? path, asked?.body);
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

  /** Every connection finds that the tab may have missed something. */
  connect = (): void => {
    this.channelNumber += 1;
    this.socketHandlers.get('connect')?.();
    this.socketHandlers.get('channel:joined')?.({ number: this.channelNumber });
  };
  private channelNumber = 0;

  /** The return value of `io()`. */
  readonly io = () => ({
    on: (event: string, handler: (argument?: unknown) => void) => {
      this.socketHandlers.set(event, handler);
    },
    connect: () => {},
    disconnect: () => this.socketHandlers.get('disconnect')?.('io client disconnect'),
    emit: (...event: unknown[]) => {
      this.emitted.push(event);
    },
    timeout: () => ({ emitWithAck: async () => ({}) }),
    io: { on: () => {}, reconnectionDelayMax: () => {} },
    active: true,
    connected: true,
  });

  /** The active path of a conversation, oldest first: from its active leaf, or its newest message, to the top. */
  path(conversationId: string): Message[] {
    const all = this.messages[conversationId] ?? [];
    const leafId = this.conversations.find(({ id }) => id === conversationId)?.activeLeafId;
    const path: Message[] = [];
    let next = all.find(({ id }) => id === leafId) ?? all.at(-1);
    while (next) {
      path.unshift(withSiblings(next, all));
      const parentId: string | null = next.parentId;
      next = all.find(({ id }) => id === parentId);
    }
    return path;
  }

  private usual(method: string, pathWithQuery: string, body: unknown): Response {
    const { pathname: path, searchParams } = new URL(pathWithQuery, 'http://localhost');
    if (path === '/api/auth/user') return json(200, this.user);
    if (path === '/api/conversations') {
      if (method === 'GET') return json(200, this.list(searchParams));
      const { title, message } = body as CreateConversationBody;
      const made = conversation('made', title);
      this.messages[made.id] ??= [];
      return json(201, { ...made, ...(message && { sent: this.accept(made.id, message) }) });
    }
    if (method === 'PATCH') return this.update(path, body as Partial<Conversation>);
    const [, target, restore] = /^\/api\/conversations\/(\w+)(\/restore)?$/.exec(path) ?? [];
    if (target && method === 'DELETE') return this.remove(target);
    if (target && restore) return this.restore(target);
    const id = /^\/api\/conversations\/(\w+)\/messages$/.exec(path)?.[1];
    if (id && this.messages[id]) {
      if (method === 'POST') return json(202, this.accept(id, body as SendMessageBody));
      return json(200, this.page(id, searchParams));
    }
    return this.generateAgain(path) ?? json(404, { message: 'Not there.', code: 'not_found' });
  }

  /** A page of conversations, the last updated first. */
  private list(query: URLSearchParams): Conversation[] {
    const ids = query.get('ids')?.split(',');
    const before = query.get('before');
    const q = query.get('q') ?? '';
    const found = this.conversations
      .filter(({ id, title }) => (ids?.includes(id) ?? true) && contains(title, q))
      .toSorted((a, b) => (conversationCursor(a) < conversationCursor(b) ? 1 : -1));
    const rest = before ? found.filter((entry) => conversationCursor(entry) < before) : found;
    return rest.slice(0, CONVERSATION_PAGE_SIZE);
  }

  private page(id: string, query: URLSearchParams): Message[] {
    const path = this.path(id);
    const before = query.get('before');
    const end = before ? path.findIndex((message) => message.id === before) : path.length;
    return path.slice(Math.max(0, end - Number(query.get('limit') ?? 200)), end);
  }

  private accept(id: string, { content, clientMessageId, parentId }: SendMessageBody): SentMessage {
    const all = (this.messages[id] ??= []);
    const n = all.filter(({ role }) => role === 'user').length + 1;
    const sent = makeSent(id, {
      content,
      ...(clientMessageId && { clientMessageId }),
      parentId: parentId === undefined ? (this.path(id).at(-1)?.id ?? null) : parentId,
      n,
    });
    all.push(sent.message, sent.reply);
    this.activate(id, sent.reply.id);
    return {
      message: withSiblings(sent.message, all),
      reply: withSiblings(sent.reply, all),
    };
  }

  /** Regenerate makes a new sibling; continue queues the same reply again. */
  private generateAgain(path: string): Response | undefined {
    const [, replyId, verb] = /^\/api\/replies\/(\w+)\/(regenerate|continue)$/.exec(path) ?? [];
    const all = Object.values(this.messages).find((list) => list.some(({ id }) => id === replyId));
    const former = all?.find(({ id }) => id === replyId);
    if (!all || former?.role !== 'assistant') return undefined;
    if (verb === 'continue') {
      const { error: _former, ...rest } = former;
      return json(202, { reply: withSiblings({ ...rest, status: 'queued' }, all) });
    }
    const { conversationId, parentId } = former;
    const reply = makeReply(conversationId, { id: `${former.id}again`, parentId });
    all.push(reply);
    this.activate(conversationId, reply.id);
    return json(202, { reply: withSiblings(reply, all) });
  }

  private update(path: string, change: Partial<Conversation>): Response {
    const found = this.conversations.find(({ id }) => path === `/api/conversations/${id}`);
    if (!found) return json(404, { message: 'Not there.', code: 'not_found' });
    Object.assign(found, change);
    if (change.activeLeafId) found.activeLeafId = this.newestLeaf(found.id, change.activeLeafId);
    return json(200, found);
  }

  /** As in the product, every tab of the user receives it. */
  private remove(id: string): Response {
    const found = this.conversations.find((conversation) => conversation.id === id);
    if (!found) return NOT_FOUND();
    this.conversations = this.conversations.filter((conversation) => conversation !== found);
    this.deleted.set(id, found);
    this.push('conversation:deleted', { id });
    return new Response(null, { status: 204 });
  }

  private restore(id: string): Response {
    const found = this.deleted.get(id);
    if (!found) return NOT_FOUND();
    this.deleted.delete(id);
    this.conversations.push(found);
    this.push('conversation:changed', found);
    return json(200, found);
  }

  private newestLeaf(conversationId: string, messageId: string): string {
    const below = this.messages[conversationId]?.findLast(({ parentId }) => parentId === messageId);
    return below ? this.newestLeaf(conversationId, below.id) : messageId;
  }

  private activate(conversationId: string, leafId: string): void {
    const found = this.conversations.find(({ id }) => id === conversationId);
    if (found) found.activeLeafId = leafId;
  }
}

function withSiblings<M extends Message>(message: M, all: readonly Message[]): M {
  const siblings = all.filter(({ parentId }) => parentId === message.parentId);
  return { ...message, siblingIds: siblings.map(({ id }) => id) };
}

const NOT_FOUND = () => json(404, { message: 'Not there.', code: 'not_found' });

const contains = (title: string, q: string): boolean =>
  title.toLowerCase().includes(q.toLowerCase());

export const json = (status: number, body: unknown): Response =>
  new Response(JSON.stringify(body), { status });

export const conversation = (id: string, title: string, day = 1): Conversation => ({
  id,
  title,
  createdAt: `2026-01-0${day}T10:00:00.000Z`,
  updatedAt: `2026-01-0${day}T10:00:00.000Z`,
  activeLeafId: null,
  personaId: null,
  depth: 'balanced',
  memory: 'on',
  temporary: false,
});

/** A reply; unless `fields` names its parts, they are its content as one part of text. */
export const makeReply = (conversationId: string, fields: Partial<Reply> = {}): Reply => ({
  id: 'r1',
  conversationId,
  role: 'assistant',
  content: '',
  createdAt: '2026-01-01T10:00:01.000Z',
  parentId: 'm1',
  siblingIds: [fields.id ?? 'r1'],
  status: 'queued',
  attempt: 0,
  parts: fields.content ? [{ type: 'text', text: fields.content }] : [],
  ...fields,
});

export const makeUserMessage = (
  conversationId: string,
  fields: Partial<UserMessage> = {},
): UserMessage => ({
  id: 'm1',
  conversationId,
  role: 'user',
  content: '',
  createdAt: '2026-01-01T10:00:00.000Z',
  parentId: null,
  siblingIds: [fields.id ?? 'm1'],
  ...fields,
});

/** A complete reply. */
export const completeReply = (content: string, fields: Partial<Reply> = {}): Reply =>
  makeReply('c1', { status: 'complete', attempt: 1, content, ...fields });

/** A settled charge of a reply; unless `fields` says otherwise, of the tokens of its prompt and its text. */
export const ledgerLine = (fields: Partial<LedgerLine> = {}): LedgerLine => ({
  attempt: 1,
  kind: 'reply',
  state: 'settled',
  model: 'owl-1',
  promptTokens: 0,
  cachedTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
  at: '2026-11-22T10:00:00.000Z',
  tokens: (fields.promptTokens ?? 0) + (fields.completionTokens ?? 0),
  ...fields,
});

/** Sent messages one after another, with complete replies: `m1`, `r1`, `m2` and so on. */
export const makeThread = (...texts: string[]): Message[] =>
  texts.map((content, at) => {
    const n = Math.floor(at / 2) + 1;
    return at % 2 === 0
      ? makeUserMessage('c1', { id: `m${n}`, parentId: n > 1 ? `r${n - 1}` : null, content })
      : completeReply(content, { id: `r${n}`, parentId: `m${n}` });
  });

/** The `n`th sent message of a conversation: `m<n>` and its reply `r<n>`. */
export const makeSent = (
  conversationId: string,
  { n = 1, ...fields }: Partial<UserMessage> & { n?: number } = {},
): SentMessage => ({
  message: makeUserMessage(conversationId, { id: `m${n}`, ...fields }),
  reply: makeReply(conversationId, { id: `r${n}`, parentId: `m${n}` }),
});
