import type { PartAuthor, ReplyPart, ReplyPartType } from '../../../contract/messages.ts';
import type { DeltaText, ReplyState } from '../../../contract/replies.ts';
import { authorOf, isSameAuthor } from '../../../contract/reply-text.ts';
import { deltasFrom, lengthOf, splitWhole } from '../messages/index.ts';
import { wakeAt } from './coalesced-timer.ts';
import { FencedError, type LogWriter, type ReplyLog } from './log.ts';

/** When this much text waits, a delta is published at once. */
const FULL_DELTA_LENGTH = 512;
/** While Redis is unreachable, the text waits in the writer; retries follow in this interval. */
const RETRY_MS = 500;
const BETWEEN_AUTHORS = '\n\n';

interface WriterOptions {
  writer: LogWriter;
  /** The text of earlier attempts, which the attempt continues. */
  kept: ReplyPart[];
  log: Pick<ReplyLog, 'append' | 'ping'>;
  /** Milliseconds between two deltas; 0 publishes each at once. */
  paceMs: () => number;
  /**
   * Lets the database confirm that no later attempt has the reply.
   * @throws FencedError
   */
  confirm: () => Promise<void>;
  /** A later attempt has begun. */
  onFenced: (error: FencedError) => void;
}

/**
 * Collects an attempt's parts and publishes them in deltas. At most one call to Redis is outstanding; text that could not be logged stays
 * here and is sent with a later delta, at the same offset.
 */
export class DeltaWriter {
  /** Everything written so far; always ends with a whole character. */
  readonly parts: ReplyPart[];
  /** Code units of all parts. */
  length: number;
  /** The author of the parts that are written. */
  private author: PartAuthor;
  private waiting: DeltaText[];
  /** The first half of a surrogate pair without its second half. */
  private half: { type: ReplyPartType; unit: string } | undefined;
  // Entry 0 is the one with which a takeover fences off the lost attempt.
  private seq = 1;
  private begun = false;
  private failing = false;
  private closed = false;
  /** The earliest time of the next delta, in milliseconds of `performance.now()`; undefined: at once. */
  private notBefore: number | undefined;
  private cancelWake: (() => void) | undefined;
  private sending: Promise<void> | undefined;

  constructor(private readonly options: WriterOptions) {
    this.parts = options.kept.map((part) => ({ ...part }));
    this.author = authorOf(this.parts.at(-1) ?? {});
    this.length = lengthOf(this.parts);
    this.waiting = deltasFrom(this.parts, 0);
  }

  /** Begins the attempt in the log and publishes that the reply streams, with the text that it continues. */
  start(): void {
    this.send();
  }

  /**
   * Continues as `author`. After another author a blank line begins the new part at once, so that the joined texts are Markdown and a
   * takeover can tell the current author.
   */
  begin(author: PartAuthor): void {
    this.half = undefined;
    const last = this.parts.at(-1);
    this.author = authorOf(author);
    if (last && !isSameAuthor(last, author)) this.push('text', BETWEEN_AUTHORS);
  }

  /** Adds to the last part, or begins a new one for another `type` or author. */
  push(type: ReplyPartType, text: string): void {
    const last = this.parts.at(-1);
    const begun = this.half?.type === type ? this.half.unit : '';
    const { whole, half } = splitWhole(begun + text);
    this.half = half === '' ? undefined : { type, unit: half };
    if (whole === '') return;
    if (last?.type === type && isSameAuthor(last, this.author)) last.text += whole;
    else this.parts.push({ type, text: whole, ...this.author });
    const part = this.parts.length - 1;
    this.wait({ part, type, ...this.author, offset: this.length, delta: whole });
    this.length += whole.length;
    this.schedule();
  }

  /** Whether Redis accepts the text; otherwise only this process has it. */
  get isLogged(): boolean {
    return !this.failing;
  }

  /** Publishes the waiting text and ends. Also resolves when Redis refuses it, because the database will have it. */
  async close(): Promise<void> {
    this.closed = true;
    this.cancelWake?.();
    await this.sending;
    if (!this.failing) await this.flush().catch(() => undefined);
  }

  private wait(delta: DeltaText): void {
    const last = this.waiting.at(-1);
    if (last?.part === delta.part) last.delta += delta.delta;
    else this.waiting.push(delta);
  }

  private schedule(): void {
    if (this.sending || this.closed || (this.begun && this.waiting.length === 0)) return;
    if (this.notBefore === undefined || (this.isFull() && !this.failing)) this.send();
    else this.cancelWake ??= wakeAt(this.notBefore, () => this.wake());
  }

  private isFull(): boolean {
    const [first] = this.waiting;
    return first !== undefined && this.length - first.offset >= FULL_DELTA_LENGTH;
  }

  private wake(): void {
    this.cancelWake = undefined;
    this.notBefore = undefined;
    this.schedule();
  }

  private send(): void {
    this.cancelWake?.();
    this.cancelWake = undefined;
    // The first delta follows at once after the beginning.
    this.notBefore = this.begun ? this.afterPause() : undefined;
    this.sending = this.flush().then(
      () => this.sent(),
      (error: unknown) => this.failed(error),
    );
  }

  private afterPause(): number | undefined {
    const pace = this.options.paceMs();
    return pace > 0 ? performance.now() + pace : undefined;
  }

  private sent(): void {
    this.failing = false;
    this.sending = undefined;
    this.schedule();
  }

  private failed(error: unknown): void {
    this.sending = undefined;
    this.failing = true;
    if (error instanceof FencedError) return this.options.onFenced(error);
    this.notBefore = performance.now() + RETRY_MS;
    this.schedule();
  }

  private async flush(): Promise<void> {
    const { writer, log } = this.options;
    // A hanging Redis keeps every command that it got: the text is not sent again before it answers.
    if (this.failing) await log.ping();
    const deltas = this.waiting;
    if (this.begun && deltas.length === 0) return;
    this.waiting = [];
    const seq = this.seq;
    this.seq += Math.max(1, deltas.length);
    try {
      const state = this.stateAfter(deltas);
      if (this.begun && (await log.append(writer, { seq, deltas }))) return;
      // Redis has lost the log, or it was removed with the reply.
      if (this.begun || this.failing) await this.options.confirm();
      await log.append(writer, { seq, deltas, state });
      this.begun = true;
    } catch (error) {
      const added = this.waiting;
      this.waiting = deltas;
      for (const delta of added) this.wait(delta);
      throw error;
    }
  }

  /** The state of the reply, up to the text that Redis has accepted or may have. */
  state(): ReplyState {
    const [first] = this.waiting;
    return this.streaming(first?.offset ?? this.length);
  }

  private stateAfter(deltas: DeltaText[]): ReplyState {
    const last = deltas.at(-1);
    return this.streaming(last ? last.offset + last.delta.length : 0);
  }

  private streaming(length: number): ReplyState {
    const { replyId, conversationId, attempt } = this.options.writer;
    return { replyId, conversationId, attempt, status: 'streaming', length };
  }
}
