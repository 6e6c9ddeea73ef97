import { keep } from '../../lib/keep.ts';
import { highlightLines, nextBlock } from './highlighter.ts';
import type { Run } from './tokenize.ts';

/** Later lines stay plain: colouring them would cost more elements than it helps the reader. */
const MAX_CODE = 20_000;
/** Blocks that stay coloured without another request, so that scrolling back does not flash. */
const MAX_KEPT = 100;
/** Colours of code that grows are drawn with its next text, or after this long without any. */
const DRAW_MS = 100;

/** The lines of a code block that are coloured, from its first one on. */
export interface Coloured {
  /** Their text. The code goes on after it. */
  readonly text: string;
  /** Their runs as received. A chunk never changes. */
  readonly chunks: ReadonlyArray<readonly Run[]>;
}

export interface Code {
  readonly code: string;
  readonly language: string;
  /** More may follow: its last line is not finished. */
  readonly growing: boolean;
}

const PLAIN: Coloured = { text: '', chunks: [] };
const kept = new Map<string, Coloured>();

/** Colours one code block: each line once, when it is finished. A component reads it with `useSyncExternalStore`. */
export class Highlighting {
  private coloured: Coloured;
  private current: Code;
  private block = nextBlock();
  /** The lines that the worker knows, coloured or not. */
  private sent: string;
  private isAsking = false;
  private listener: (() => void) | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(current: Code) {
    this.current = current;
    this.coloured = (current.growing ? undefined : kept.get(keyOf(current))) ?? PLAIN;
    this.sent = this.coloured.text;
  }

  readonly snapshot = (): Coloured => this.coloured;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listener = listener;
    return () => {
      this.listener = undefined;
      clearTimeout(this.timer);
      this.timer = undefined;
    };
  };

  /** The code is now this. */
  update(next: Code): void {
    const former = this.current;
    this.current = next;
    // The last line of a whole code was taken as finished; it need not be when the code grows again.
    const growsAgain = next.growing && !former.growing;
    const isOther = next.language !== former.language || !next.code.startsWith(this.sent);
    if (growsAgain || isOther) this.restart();
    this.ask();
    this.keepWhole();
  }

  private restart(): void {
    this.block = nextBlock();
    this.sent = '';
    this.isAsking = false;
    this.coloured = PLAIN;
    this.listener?.();
  }

  private ask(): void {
    const language = this.current.language.toLowerCase();
    const lines = finishedLines(this.current).slice(this.sent.length);
    if (language === '' || this.isAsking || lines === '') return;
    this.isAsking = true;
    this.sent += lines;
    void this.colour(language, lines);
  }

  private async colour(language: string, lines: string): Promise<void> {
    const { block } = this;
    const runs = await highlightLines({ block, language, lines });
    // After a failure the rest stays plain: without these lines the next ones would be coloured wrongly.
    if (block !== this.block || !runs) return;
    const { text, chunks } = this.coloured;
    this.coloured = { text: text + lines, chunks: [...chunks, runs] };
    this.isAsking = false;
    this.draw();
    this.ask();
    this.keepWhole();
  }

  private draw(): void {
    if (!this.current.growing) return this.listener?.();
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.listener?.();
    }, DRAW_MS);
  }

  private keepWhole(): void {
    const { current, coloured } = this;
    if (current.growing || coloured.text !== finishedLines(current)) return;
    keep(kept, [keyOf(current), coloured], MAX_KEPT);
  }
}

function finishedLines({ code, growing }: Code): string {
  if (!growing && code.length <= MAX_CODE) return code;
  return code.slice(0, code.lastIndexOf('\n', MAX_CODE) + 1);
}

function keyOf({ code, language }: Code): string {
  return `${language.toLowerCase()}\n${code}`;
}
