// Fast chunks are shown as they arrive. Slower ones are spread over the time until the next one is due, so that the
// text grows evenly (docs/product.md, 'Sending and receiving').
const STEP_MS = 20;
const FAST_GAP_MS = 80;
const MAX_BEHIND_MS = 1_000;
const WHOLE_REPLY_MS = 3_000;
/** The median of these gaps is the pace; one slow chunk among quick ones does not change it. */
const MEASURED_GAPS = 5;
const MIN_GAPS = 2;

export interface RevealTarget {
  text: string;
  /** Another attempt is another text. */
  attempt: number;
  /** The text is complete. */
  ended: boolean;
}

interface RevealOptions {
  /** The last change was a timed step. */
  onStep: () => void;
  /** False in a hidden tab and with reduced motion. */
  isAnimated: () => boolean;
  now: () => number;
}

/** How much of a growing text to show now. The initial text is shown at once. */
export class Reveal {
  private target: RevealTarget;
  private count: number;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private dueAt = 0;
  private behindSince = 0;
  private grewAt: number | undefined;
  private gaps: number[] = [];

  constructor(
    target: RevealTarget,
    private readonly options: RevealOptions,
  ) {
    this.target = target;
    this.count = target.text.length;
  }

  /** Characters to show. */
  get shown(): number {
    return this.count;
  }

  /** Sets the text; afterwards `count` covers at least the part to show at once. */
  aim(target: RevealTarget): void {
    const former = this.target;
    this.target = target;
    const { text, attempt } = target;
    if (attempt !== former.attempt) this.restart(former.text);
    const grew = attempt !== former.attempt || text.length > former.text.length;
    const wasBehind = this.timer !== undefined;
    this.count = Math.min(this.count, text.length);
    if (!grew && wasBehind && this.count < text.length) return;
    if (grew) this.measure();
    this.stop();
    const pace = this.pace();
    if (pace === 0 || this.count === text.length || !this.options.isAnimated()) {
      this.count = text.length;
      return;
    }
    const now = this.options.now();
    if (!wasBehind) this.behindSince = now;
    const isWhole = this.count === 0 && target.ended;
    this.dueAt = isWhole ? now + pace : Math.min(now + pace, this.behindSince + MAX_BEHIND_MS);
    this.step();
  }

  finish(): void {
    this.stop();
    this.count = this.target.text.length;
  }

  private restart(formerText: string): void {
    if (!this.target.text.startsWith(formerText.slice(0, this.count))) this.count = 0;
    this.grewAt = undefined;
    this.gaps = [];
  }

  private measure(): void {
    const now = this.options.now();
    if (this.grewAt !== undefined) {
      this.gaps = [...this.gaps, now - this.grewAt].slice(-MEASURED_GAPS);
    }
    this.grewAt = now;
  }

  /** The milliseconds over which to spread the hidden text; 0 shows it at once. */
  private pace(): number {
    const { text, ended } = this.target;
    if (this.count === 0 && ended) return Math.min(text.length * STEP_MS, WHOLE_REPLY_MS);
    if (this.gaps.length < MIN_GAPS) return 0;
    const gap = this.gaps.toSorted((a, b) => a - b)[Math.floor((this.gaps.length - 1) / 2)] ?? 0;
    return gap < FAST_GAP_MS ? 0 : Math.min(gap, MAX_BEHIND_MS);
  }

  private step(): void {
    const { text } = this.target;
    const left = this.dueAt - this.options.now();
    const steps = this.options.isAnimated() ? Math.max(1, Math.ceil(left / STEP_MS)) : 1;
    const next = this.count + Math.ceil((text.length - this.count) / steps);
    this.count = wholeCharacter(text, next);
    if (this.count === text.length) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.step();
      this.options.onStep();
    }, STEP_MS);
  }

  private stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}

/** The end of the character at `end`: half of an emoji is not text. */
function wholeCharacter(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return isHalf && end < text.length ? end + 1 : end;
}
