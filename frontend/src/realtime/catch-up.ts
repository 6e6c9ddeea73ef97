import type { QueryClient } from '@tanstack/react-query';
import * as cache from './cache.ts';
import { fileKey, filesKey } from './file-cache.ts';
import { repeatRead } from './reads.ts';

/** Lists around the conversation are read again within this time, so that many tabs do not all read them at once. */
const SPREAD_MS = 3_000;

/** Reads what this tab shows again after events may be missing. */
export class CatchUp {
  private readonly timers = new Set<ReturnType<typeof setTimeout>>();
  private wasConnected = false;

  /** `refreshReplies` asks for the text of the replies that are being generated on screen. */
  constructor(
    private readonly client: QueryClient,
    private readonly refreshReplies: () => void,
  ) {}

  connected(): void {
    // Lists that were read before the first connection may miss events. A page that opens reads them at once.
    this.readAgain(this.wasConnected ? SPREAD_MS : 0);
    this.wasConnected = true;
  }

  gap({ spreadMs }: { spreadMs: number }): void {
    this.later(spreadMs, () => this.readAgain(SPREAD_MS));
  }

  stop(): void {
    this.wasConnected = false;
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
  }

  /** Replies and messages now, the lists around them within `spreadMs`. Data that is not on screen is read when it is opened. */
  private readAgain(spreadMs: number): void {
    this.refreshReplies();
    this.client.removeQueries({ queryKey: ['messages'], type: 'inactive' });
    repeatRead(this.client, ['messages']);
    const { conversationsKey, sessionsKey, billingKey, usageKey, personasKey } = cache;
    const keys = [conversationsKey, sessionsKey, billingKey, usageKey, filesKey, fileKey()];
    for (const queryKey of [...keys, personasKey])
      this.later(spreadMs, () => repeatRead(this.client, queryKey));
  }

  /** Runs at a random time within `spreadMs`. */
  private later(spreadMs: number, run: () => void): void {
    if (spreadMs === 0) return run();
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      run();
    }, spreadMs * Math.random());
    this.timers.add(timer);
  }
}
