import { io, type Socket } from 'socket.io-client';
import {
  applyDelta,
  applySnapshot,
  applyState,
  applyTail,
  contentOf,
  hasGap,
  type ReplyView,
  UNKNOWN_REPLY,
} from '../../frontend/src/realtime/reply-reducer.ts';
import { isActive, type Message } from '../src/contract/messages.ts';
import { type ClientEvents, type ServerEvents, SOCKET_PATH } from '../src/contract/realtime.ts';
import type { ReplyTail } from '../src/contract/replies.ts';
import { atEnd } from './at-end.ts';
import type { ApiClient } from './stack.ts';

/** The pause before what a busy server refused is asked again. */
const AGAIN_MS = 500;

const isBusy = (answer: { status: number } | undefined) => !answer || answer.status === 503;

/** Connects again after a refused handshake, which Socket.IO does not retry, for example by a server that is still busy. */
export function comeBack(socket: Socket): void {
  socket.on('connect_error', () => {
    if (!socket.active) setTimeout(() => socket.connect(), 500);
  });
}

/** A browser tab on a conversation without the browser: the product's reducer on a real socket. */
export class Tab {
  readonly views = new Map<string, ReplyView>();
  /** Every text that was on the screen, in order. */
  readonly shown: string[] = [];
  sessionEnded = false;
  private asking = false;

  constructor(
    private readonly api: ApiClient,
    private readonly conversationId: string,
    readonly socket: Socket<ServerEvents, ClientEvents>,
  ) {
    socket.on('connect', () => void this.watch());
    socket.on('gap', () => void this.catchUp());
    comeBack(socket);
    socket.on('session:ended', () => {
      this.sessionEnded = true;
    });
    socket.on('reply:delta', (delta) => {
      this.apply(delta.replyId, (view) => applyDelta(view, delta));
    });
    socket.on('reply:state', (state) => {
      this.apply(state.replyId, (view) => applyState(view, state));
    });
  }

  /**
   * The last reply, and its text parts joined. It has ended when its whole text is here: a tab that was disconnected may receive the end
   * before the missed text.
   */
  get reply(): ReplyView & { text: string } {
    const view = [...this.views.values()].at(-1) ?? UNKNOWN_REPLY;
    const status = isActive(view.status) || !hasGap(view) ? view.status : 'streaming';
    return { ...view, status, text: contentOf(view.parts) };
  }

  close(): void {
    this.socket.disconnect();
  }

  /** Reads once the deltas arrive, so that none is missed in between. */
  async watch(): Promise<void> {
    if (!this.socket.connected) return;
    const answer = await this.socket
      .emitWithAck('watch', { conversationId: this.conversationId })
      .catch(() => undefined);
    if (answer?.error) this.again(() => this.watch());
    await this.catchUp();
  }

  async catchUp(): Promise<void> {
    const path = `/conversations/${this.conversationId}/messages`;
    const answer = await this.api.get<Message[]>(path).catch(() => undefined);
    if (isBusy(answer)) return this.again(() => this.catchUp());
    for (const message of answer?.status === 200 ? answer.body : [])
      if (message.role === 'assistant')
        this.apply(message.id, (view) => applySnapshot(view, message));
  }

  private apply(replyId: string, change: (view: ReplyView) => ReplyView): void {
    const view = change(this.views.get(replyId) ?? UNKNOWN_REPLY);
    this.views.set(replyId, view);
    this.shown.push(contentOf(view.parts));
    if (hasGap(view)) void this.askForTail(replyId);
  }

  private async askForTail(replyId: string): Promise<void> {
    if (this.asking) return;
    this.asking = true;
    const { attempt, length } = this.views.get(replyId) ?? UNKNOWN_REPLY;
    const path = `/replies/${replyId}?attempt=${attempt}&offset=${length}`;
    const tail = await this.api.get<ReplyTail>(path).catch(() => undefined);
    this.asking = false;
    if (tail?.status === 200) this.apply(replyId, (view) => applyTail(view, tail.body));
    else if (isBusy(tail)) this.again(() => this.askForTail(replyId));
  }

  private again(work: () => Promise<void>): void {
    setTimeout(() => this.socket.active && void work(), AGAIN_MS);
  }
}

/** Opens a tab and waits until it is connected and caught up. */
export async function openTab(api: ApiClient, conversationId: string): Promise<Tab> {
  const socket: Socket<ServerEvents, ClientEvents> = io(api.url, {
    path: SOCKET_PATH,
    transports: ['websocket'],
    auth: { token: api.token, watches: true },
    reconnectionDelay: 100,
    reconnectionDelayMax: 500,
    forceNew: true,
  });
  const tab = new Tab(api, conversationId, socket);
  atEnd(() => tab.close());
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', () => resolve());
    // A busy server is asked again, by Socket.IO or above.
    const isRefused = ({ message }: Error) => !socket.active && message !== 'unavailable';
    socket.on('connect_error', (error) => isRefused(error) && reject(error));
  });
  await tab.watch();
  return tab;
}
