import type {
  Reply,
  ReplyEnding,
  ReplyError,
  ReplyPart,
  ReplyStatus,
} from '@stolas/backend/contract';
import {
  cutParts,
  hasGap,
  isActive,
  type ReplyView,
  subscribeReply,
  viewFrom,
  viewOf,
} from '../../../realtime/index.ts';
import { Reveal } from './reveal.ts';

/** Without new text for this long, a mark at the end shows that the reply is still being generated. */
const QUIET_MS = 1_000;

/** The visible state of a reply. */
export interface ShownReply {
  readonly parts: readonly ReplyPart[];
  readonly status: ReplyStatus;
  readonly error?: ReplyError;
  readonly ending?: ReplyEnding;
  /** The state is terminal and the whole text is shown. */
  readonly isEnded: boolean;
  /** There is text, more is expected, and none has arrived for a second. */
  readonly isQuiet: boolean;
  /** The number of replies that start before this one, while it waits for a worker. */
  readonly ahead?: number;
}

interface LiveReplyOptions {
  isAnimated: () => boolean;
  now?: () => number;
}

/**
 * One reply on screen: follows the reply store and changes once per drawing. A component reads it with
 * `useSyncExternalStore`.
 */
export class LiveReply {
  private reply: Reply;
  private view: ReplyView;
  private current: ShownReply;
  private isQuiet = false;
  private quietTimer: ReturnType<typeof setTimeout> | undefined;
  private readonly reveal: Reveal;
  private readonly listeners = new Set<() => void>();
  private unsubscribe: (() => void) | undefined;

  constructor(reply: Reply, { isAnimated, now = () => performance.now() }: LiveReplyOptions) {
    this.reply = reply;
    this.view = viewOf(reply.id) ?? viewFrom(reply);
    this.reveal = new Reveal(this.target(), { isAnimated, now, onStep: () => this.draw() });
    this.current = this.drawing([]);
  }

  readonly shown = (): ShownReply => this.current;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    this.unsubscribe ??= subscribeReply(this.reply.id, () => this.follow());
    this.follow();
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size === 0) this.pause();
    };
  };

  /** The same reply in the current list of messages. */
  setReply(reply: Reply): void {
    if (reply === this.reply) return;
    this.reply = reply;
    this.follow();
  }

  private pause(): void {
    this.unsubscribe?.();
    this.unsubscribe = undefined;
    clearTimeout(this.quietTimer);
    this.reveal.finish();
    this.draw();
  }

  private follow(): void {
    const { length, attempt } = this.view;
    this.view = viewOf(this.reply.id) ?? viewFrom(this.reply);
    if (this.view.length !== length || this.view.attempt !== attempt) this.waitForQuiet();
    // The shown text stays while the beginning of an attempt is missing.
    if (!this.isUnknown()) this.reveal.aim(this.target());
    this.draw();
  }

  private waitForQuiet(): void {
    this.isQuiet = false;
    clearTimeout(this.quietTimer);
    if (this.listeners.size === 0) return;
    this.quietTimer = setTimeout(() => {
      this.isQuiet = true;
      this.draw();
    }, QUIET_MS);
  }

  private draw(): void {
    const former = this.current;
    const next = this.drawing(former.parts);
    const isSame =
      next.status === former.status &&
      next.error === former.error &&
      next.ending === former.ending &&
      next.isEnded === former.isEnded &&
      next.isQuiet === former.isQuiet &&
      next.ahead === former.ahead &&
      haveSameText(next.parts, former.parts);
    if (isSame) return;
    this.current = next;
    for (const listener of this.listeners) listener();
  }

  private drawing(former: readonly ReplyPart[]): ShownReply {
    const { status, error, ending, parts, length, ahead } = this.view;
    const shown = this.isUnknown() ? former : cutParts(parts, this.reveal.shown);
    const isWhole = !hasGap(this.view) && this.reveal.shown >= length;
    return {
      parts: shown,
      status,
      isEnded: isWhole && !isActive(status),
      isQuiet: this.isQuiet && isActive(status) && shown.length > 0,
      ...(error && { error }),
      ...(ending && { ending }),
      ...(ahead !== undefined && { ahead }),
    };
  }

  private isUnknown(): boolean {
    return hasGap(this.view) && this.view.length === 0;
  }

  private target() {
    const { parts, attempt, status } = this.view;
    const text = parts.length === 1 ? (parts[0]?.text ?? '') : parts.map((it) => it.text).join('');
    return { text, attempt, ended: !isActive(status) && !hasGap(this.view) };
  }
}

const haveSameText = (a: readonly ReplyPart[], b: readonly ReplyPart[]): boolean =>
  a === b ||
  (a.length === b.length &&
    a.every(({ type, text }, n) => type === b[n]?.type && text === b[n]?.text));
