import { setTimeout as sleep } from 'node:timers/promises';
import type { Service } from './plan.ts';
import { describeEnding, type Output, type Running } from './running.ts';

const FIRST_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 10_000;
/** A process that ran this long resets the backoff. */
const STABLE_AFTER_MS = 30_000;

const endOf = async ({ ended }: Running) => `ended (${describeEnding(await ended)})`;

/** A service that is restarted with exponential backoff whenever it ends by itself. */
export class SupervisedService {
  readonly name: string;
  private readonly service: Service;
  private readonly output: Output;
  private readonly say: (text: string) => void;
  private running: Running | undefined;
  private supervision: Promise<void> = Promise.resolve();
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
   * @throws StartError when it does not start, without a retry.
   */
  async start(): Promise<void> {
    const running = await this.begin();
    await running.ready;
    this.supervision = this.restartOnExit(running);
  }

  async stop({ graceMs }: { graceMs: number }): Promise<void> {
    this.stopping = true;
    this.pause.abort();
    await this.running?.stop({ graceMs });
    await this.supervision;
  }

  /** Ends the service and starts it at once, without a message, because its code has changed. */
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
    // `stop` was called during the preparation of the service.
    if (this.stopping) this.running.kill('SIGTERM');
    return this.running;
  }

  private async restartOnExit(first: Running): Promise<void> {
    let backoff = FIRST_BACKOFF_MS;
    let since = Date.now();
    let how = await endOf(first);
    for (;;) {
      if (this.stopping) return;
      if (Date.now() - since > STABLE_AFTER_MS) backoff = FIRST_BACKOFF_MS;
      const quiet = this.restarting;
      if (!quiet) {
        this.say(`${this.name} ${how}; it starts again in ${backoff / 1000} s`);
        await this.wait(backoff);
        backoff = Math.min(backoff * 2, MAX_BACKOFF_MS);
      }
      if (this.stopping) return;
      this.restarting = false;
      since = Date.now();
      how = await this.runAgain({ quiet });
    }
  }

  /** @returns how the service ended, or that it did not start */
  private async runAgain({ quiet }: { quiet: boolean }): Promise<string> {
    try {
      const running = await this.begin();
      void running.ready.then(
        () => quiet || this.say(`${this.name} runs again`),
        () => undefined,
      );
      return await endOf(running);
    } catch (error) {
      this.say(error instanceof Error ? error.message : String(error));
      return 'did not start';
    }
  }

  /** Resolves early when the service is to stop, or to start at once. */
  private async wait(ms: number): Promise<void> {
    this.pause = new AbortController();
    await sleep(ms, undefined, { signal: this.pause.signal }).catch(() => undefined);
  }
}
