import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from './plan.ts';
import { describeEnding, type Output, type Running } from './running.ts';

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 10_000;
/** Who ran this long ran well: the next end is a new story, with the first delay again. */
const RAN_WELL_MS = 30_000;

/** A service that is started again, ever more slowly, whenever it ends without having been asked to. */
export class Keeper {
  readonly name: string;
  private readonly service: Service;
  private readonly output: Output;
  private readonly say: (text: string) => void;
  private running: Running | undefined;
  private over: Promise<void> = Promise.resolve();
  private pause = new AbortController();
  private stopping = false;
  private restarting = false;

  constructor(service: Service, options: { output: Output; say: (text: string) => void }) {
    this.name = service.name;
    this.service = service;
    this.output = options.output;
    this.say = options.say;
  }

  /**
   * Starts the service for the first time and resolves once it serves.
   * @throws StartError when it cannot; it is not tried again then.
   */
  async start(): Promise<void> {
    const running = await this.begin();
    await running.ready;
    this.over = this.keep(running);
  }

  async stop({ graceMs }: { graceMs: number }): Promise<void> {
    this.stopping = true;
    this.pause.abort();
    await this.running?.stop({ graceMs });
    await this.over;
  }

  /** Ends the service and starts it at once, without a word: its code has changed. */
  async restart(): Promise<void> {
    this.restarting = true;
    this.pause.abort();
    await this.running?.stop();
  }

  kill(): void {
    this.running?.kill('SIGKILL');
  }

  private async begin(): Promise<Running> {
    this.running = await this.service.start(this.output);
    // Asked to stop while it was being prepared: what has just begun must not stay.
    if (this.stopping) this.running.kill('SIGTERM');
    return this.running;
  }

  private async keep(first: Running): Promise<void> {
    let running = first;
    let delay = FIRST_DELAY_MS;
    let since = Date.now();
    for (;;) {
      const how = describeEnding(await running.ended);
      if (this.stopping) return;
      if (Date.now() - since > RAN_WELL_MS) delay = FIRST_DELAY_MS;
      const quiet = this.restarting;
      if (!quiet) {
        this.say(`${this.name} ended (${how}); it starts again in ${delay / 1000} s`);
        await this.wait(delay);
        delay = Math.min(delay * 2, LONGEST_DELAY_MS);
      }
      if (this.stopping) return;
      this.restarting = false;
      since = Date.now();
      running = await this.begin();
      void running.ready.then(
        () => quiet || this.say(`${this.name} runs again`),
        () => undefined,
      );
    }
  }

  /** Ends early when the service is to stop, or to start at once. */
  private async wait(ms: number): Promise<void> {
    this.pause = new AbortController();
    await sleep(ms, undefined, { signal: this.pause.signal }).catch(() => undefined);
  }
}
