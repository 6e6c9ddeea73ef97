// Typing out (decision 'Sending and receiving'): one step every 20 ms. Live text is on screen two steps after it came. A
// bigger piece takes longer, but never more than a second, and a reply that arrives whole never more than three.
const STEP_MS = 20;
const LIVE_STEPS = 2;
const CAUGHT_UP_STEPS = 1_000 / STEP_MS;
const WHOLE_STEPS = 3_000 / STEP_MS;
/** More than a live frame can carry (512, and one that was delayed behind it). */
const LIVE_LENGTH = 1_024;

export interface RevealTarget {
  text: string;
  /** Another attempt is another text. */
  attempt: number;
  /** Nothing will follow. */
  ended: boolean;
}

interface RevealOptions {
  /** False where nobody looks or nobody wants motion. */
  isAnimated: () => boolean;
}

/** In how many steps to show `behind` characters, the last of which have just come. */
export function stepsFor(
  behind: number,
  { fromStart, ended }: { fromStart: boolean; ended: boolean },
) {
  if (fromStart && ended) return Math.min(behind, WHOLE_STEPS);
  return behind > LIVE_LENGTH ? CAUGHT_UP_STEPS : LIVE_STEPS;
}

/** Shows a growing text little by little. What is there at the beginning is shown at once. */
export class Reveal {
  private target: RevealTarget;
  private count: number;
  private stepsLeft = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly listeners = new Set<() => void>();
  private shownText: string;

  constructor(
    target: RevealTarget,
    private readonly options: RevealOptions,
  ) {
    this.target = target;
    this.count = target.text.length;
    this.shownText = target.text;
  }

  readonly shown = (): string => this.shownText;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** The text is now this. The first step is taken at once. */
  aim(target: RevealTarget): void {
    const former = this.target;
    this.target = target;
    const { text, attempt, ended } = target;
    if (attempt !== former.attempt && !text.startsWith(this.shownText)) this.count = 0;
    this.count = Math.min(this.count, text.length);
    const behind = text.length - this.count;
    if (behind === 0 || !this.options.isAnimated()) {
      this.finish();
      return;
    }
    // A piece that comes while an earlier one is still being typed does not push the end further away.
    if (this.timer === undefined) {
      this.stepsLeft = stepsFor(behind, { fromStart: this.count === 0, ended });
      this.step();
    } else this.stepsLeft = Math.max(this.stepsLeft, LIVE_STEPS);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private step(): void {
    this.timer = undefined;
    if (!this.options.isAnimated()) {
      this.finish();
      return;
    }
    const { text } = this.target;
    const behind = text.length - this.count;
    this.count = wholeCharacter(text, this.count + Math.ceil(behind / Math.max(1, this.stepsLeft)));
    this.stepsLeft -= 1;
    if (this.count < text.length) this.timer = setTimeout(() => this.step(), STEP_MS);
    this.show();
  }

  private finish(): void {
    this.stop();
    this.count = this.target.text.length;
    this.show();
  }

  private show(): void {
    const next = this.target.text.slice(0, this.count);
    if (next === this.shownText) return;
    this.shownText = next;
    for (const listener of this.listeners) listener();
  }
}

/** The end of the character that `end` falls into: half of an emoji is not text. */
function wholeCharacter(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return isHalf && end < text.length ? end + 1 : end;
}
