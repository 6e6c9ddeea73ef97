import { FencedError, type ReplyLog } from './log.ts';
import { wholeCharacters } from './text.ts';

// The first piece is shown at once; after that a frame every 40 ms or 512 characters, whichever comes first.
const FRAME_MS = 40;
const FRAME_LENGTH = 512;
/** While Redis is away the text waits here; tried again this often. */
const RETRY_MS = 500;

interface WriterOptions {
  reply: { id: string; conversationId: string; ownerId: string; attempt: number };
  /** Text of an earlier attempt that this one goes on from; it is in the log, as entry 1. */
  kept: string;
  log: Pick<ReplyLog, 'append'>;
  now: () => number;
  /** A later attempt has the reply. */
  onFenced: (error: FencedError) => void;
}

/**
 * Collects an attempt's text and shows it in frames. Frames of one reply go out one after another; text that could not
 * be logged stays and goes out with a later frame, at the same offset.
 */
export class FrameWriter {
  text: string;
  private shown: number;
  private seq = 1;
  private notBefore = Number.NEGATIVE_INFINITY;
  private failing = false;
  private timer: NodeJS.Timeout | undefined;
  private sending: Promise<void> | undefined;
  private closed = false;

  constructor(private readonly options: WriterOptions) {
    this.text = options.kept;
    this.shown = options.kept.length;
  }

  /** Adds to the text. */
  push(delta: string): void {
    this.text += delta;
    this.schedule();
  }

  /** Sends what is left and ends; resolves also when Redis would not take it, since the database will have it. */
  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    await this.sending;
    await this.frame(this.text.length).catch(() => undefined);
  }

  private schedule(): void {
    const waiting = wholeCharacters(this.text) - this.shown;
    if (this.sending || this.closed || waiting <= 0) return;
    const pause = this.notBefore - this.options.now();
    if (pause <= 0 || (waiting >= FRAME_LENGTH && !this.failing)) this.send();
    else this.timer ??= setTimeout(() => this.wake(), pause);
  }

  private wake(): void {
    this.timer = undefined;
    this.schedule();
  }

  private send(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.notBefore = this.options.now() + FRAME_MS;
    this.sending = this.frame(wholeCharacters(this.text)).then(
      () => this.sent(),
      (error: unknown) => this.failed(error),
    );
  }

  private sent(): void {
    this.failing = false;
    this.sending = undefined;
    this.schedule();
  }

  private failed(error: unknown): void {
    this.sending = undefined;
    if (error instanceof FencedError) return this.options.onFenced(error);
    this.failing = true;
    this.notBefore = this.options.now() + RETRY_MS;
    this.schedule();
  }

  private async frame(end: number): Promise<void> {
    const offset = this.shown;
    if (end <= offset) return;
    const { reply, log } = this.options;
    const { id: replyId, conversationId, attempt, ownerId } = reply;
    const delta = this.text.slice(offset, end);
    // A new number for each try: a frame whose answer was lost must not meet itself and pass for a fence.
    this.seq += 1;
    const address = { ownerId, seq: this.seq };
    await log.append({ replyId, conversationId, attempt, offset, delta }, address);
    this.shown = end;
  }
}
