import {
  type Conversation,
  conversationCursor,
  type EventNumber,
  type Message,
  type PersonaSummary,
  type Reply,
  type SentMessage,
  type ServerEvents,
} from '@stolas/backend/contract';
import { byLastUpdate } from './conversation-cache.ts';

export type Random = (below: number) => number;

/** The same numbers for the same seed. */
export function randomOf(seed: number): Random {
  let state = seed * 2_654_435_761 + 1;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

export interface Sent {
  event: keyof ServerEvents;
  payload: unknown;
  at: EventNumber;
}

const CONVERSATION = {
  personaId: null,
  depth: 'balanced',
  memory: 'on',
  temporary: false,
} as const;

/** A server with the data of one user, which changes at random. */
export class ModelServer {
  number = 1_000;
  memories = 0;
  conversations: Conversation[] = [];
  personas: PersonaSummary[] = [];
  readonly messages = new Map<string, Message>();
  activeLeafId = '';
  private made = 0;
  /** The active branch follows a message some time after it was published. */
  private readonly moves: string[] = [];

  constructor(
    private readonly random: Random,
    private readonly push: (sent: Sent) => void,
  ) {
    for (let n = 0; n < 7; n += 1) this.addConversation();
    this.send(null);
  }

  /** What a GET answers now. */
  read(path: string): unknown {
    const { pathname, searchParams } = new URL(path, 'http://server');
    if (pathname === '/api/memories') return this.memories;
    if (pathname === '/api/personas') return [...this.personas];
    if (pathname === '/api/messages') return this.path().slice(-6);
    const before = searchParams.get('before');
    const later = (one: Conversation) => before === null || conversationCursor(one) < before;
    return this.conversations.toSorted(byLastUpdate).filter(later).slice(0, 3);
  }

  /** The active branch, oldest first. */
  path(): Message[] {
    const path: Message[] = [];
    for (let id: string | null = this.activeLeafId; id !== null; ) {
      const message: Message | undefined = this.messages.get(id);
      if (!message) break;
      path.unshift(message);
      id = message.parentId;
    }
    return path;
  }

  change(): void {
    const changes = [
      () => this.addConversation(),
      () => this.rename(),
      () => this.rename(),
      () => this.deleteConversation(),
      () => this.addPersona(),
      () => this.changePersona(),
      () => this.deletePersona(),
      () => this.changeMemories(),
      () => this.send(this.activeLeafId),
      () => this.send(this.pick([...this.messages.values()])?.parentId ?? null),
      () => this.finish(),
      () => this.rate(),
      () => this.switchBranch(),
      () => this.moveLeaf(),
      () => this.moveLeaf(),
    ];
    this.pick(changes)?.();
  }

  /** Sends a message below another one. */
  send(below: string | null): SentMessage {
    const parentId = below !== null && this.messages.get(below)?.role === 'user' ? null : below;
    const [id, replyId] = [this.newId('m'), this.newId('r')];
    const common = { conversationId: 'c0', createdAt: '', content: '' };
    const message = { ...common, id, role: 'user', parentId, siblingIds: [id] } as const;
    const reply: Reply = {
      ...common,
      id: replyId,
      role: 'assistant',
      parentId: id,
      siblingIds: [replyId],
      status: 'queued',
      attempt: 0,
      parts: [],
    };
    const sent = { message: { ...message, siblingIds: [id] }, reply };
    this.messages.set(id, sent.message).set(replyId, reply);
    this.publish('message:created', sent);
    this.moves.push(replyId);
    if (below === null || this.random(2) === 0) this.settle();
    return sent;
  }

  /** What was begun is completed. */
  settle(): void {
    while (this.moves.length > 0) this.moveLeaf();
  }

  private moveLeaf(): void {
    const leafId = this.moves.shift();
    if (leafId === undefined) return;
    this.activeLeafId = leafId;
    this.touch();
  }

  private publish<E extends keyof ServerEvents>(
    event: E,
    payload: Parameters<ServerEvents[E]>[0],
  ): void {
    const previous = this.number;
    this.number += 1 + this.random(3);
    this.push({ event, payload, at: { previous, number: this.number } });
  }

  private newId(kind: string): string {
    this.made += 1;
    return `${kind}${String(this.made).padStart(5, '0')}`;
  }

  private pick<T>(from: readonly T[]): T | undefined {
    return from[this.random(from.length)];
  }

  private addConversation(): void {
    const id = this.conversations.length === 0 ? 'c0' : this.newId('c');
    this.show({ id, title: id, createdAt: '', updatedAt: '', activeLeafId: null, ...CONVERSATION });
  }

  /** The active branch of the one conversation with messages has changed. */
  private touch(): void {
    const conversation = this.conversations.find(({ id }) => id === 'c0');
    if (conversation) this.show({ ...conversation, activeLeafId: this.activeLeafId });
  }

  private show(changed: Conversation): void {
    const conversation = { ...changed, updatedAt: this.newId('t') };
    const others = this.conversations.filter(({ id }) => id !== changed.id);
    this.conversations = [...others, conversation];
    this.publish('conversation:changed', conversation);
  }

  private rename(): void {
    const renamed = this.pick(this.conversations);
    if (renamed) this.show({ ...renamed, title: this.newId('Title ') });
  }

  private deleteConversation(): void {
    const deleted = this.pick(this.conversations.filter(({ id }) => id !== 'c0'));
    if (!deleted) return;
    this.conversations = this.conversations.filter(({ id }) => id !== deleted.id);
    this.publish('conversation:deleted', { id: deleted.id });
  }

  private addPersona(): void {
    this.showPersona({ id: this.newId('p'), version: 0 } as PersonaSummary);
  }

  private changePersona(): void {
    const changed = this.pick(this.personas);
    if (changed) this.showPersona(changed);
  }

  private showPersona({ version, ...fields }: PersonaSummary): void {
    const persona = { ...fields, version: version + 1 };
    this.personas = [persona, ...this.personas.filter(({ id }) => id !== persona.id)];
    this.publish('persona:summary', persona);
  }

  private deletePersona(): void {
    const deleted = this.pick(this.personas);
    if (!deleted) return;
    this.personas = this.personas.filter((persona) => persona !== deleted);
    this.publish('persona:deleted', { id: deleted.id });
  }

  private changeMemories(): void {
    this.memories += 1;
    this.publish('memory:changed', undefined);
  }

  private replies(): Reply[] {
    return [...this.messages.values()].filter((message) => message.role === 'assistant');
  }

  private finish(): void {
    // A reply does not begin before the branch has moved to it.
    const queued = this.replies().filter(
      ({ id, status }) => status === 'queued' && !this.moves.includes(id),
    );
    const reply = this.pick(queued);
    if (!reply) return;
    this.messages.set(reply.id, { ...reply, status: 'complete', attempt: 1 });
    const { id: replyId, conversationId } = reply;
    const state = { replyId, conversationId, attempt: 1, status: 'complete', length: 0 } as const;
    this.publish('reply:state', state);
  }

  private rate(): void {
    const reply = this.pick(this.replies().filter(({ status }) => status === 'complete'));
    if (!reply) return;
    const rating = this.random(2) === 0 ? 'good' : 'bad';
    const rated: Reply = { ...reply, feedback: { rating } };
    this.messages.set(reply.id, rated);
    this.publish('message:updated', rated);
  }

  private switchBranch(): void {
    const parents = new Set([...this.messages.values()].map(({ parentId }) => parentId));
    const leaf = this.pick(this.replies().filter(({ id }) => !parents.has(id)));
    if (!leaf || leaf.id === this.activeLeafId) return;
    this.activeLeafId = leaf.id;
    this.touch();
  }
}
