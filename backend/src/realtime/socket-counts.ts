import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { defineScript, type Redis, type Script } from '../db/redis.ts';

/** A web process announces itself this often. */
const BEAT_MS = 5_000;
/** The counts of a process that has not announced itself for this long are ignored: it was lost. */
const LOST_MS = 15_000;
/** Counts that do not change expire: they may be those of lost processes. */
const KEPT_MS = 24 * 3600 * 1_000;
const PROCESSES = 'web-processes';

// KEYS: counts of a subject by process. ARGV: this process, its sockets with the new one, maximum, expiry in ms, the other processes.
const ENTER = `
local sum = tonumber(ARGV[2])
for i = 5, #ARGV do
  sum = sum + tonumber(redis.call('HGET', KEYS[1], ARGV[i]) or 0)
end
if sum > tonumber(ARGV[3]) then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 1`;

// KEYS: as above. ARGV: this process, its sockets, expiry in ms.
const WRITE = `
if ARGV[2] == '0' then redis.call('HDEL', KEYS[1], ARGV[1])
else
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
end
return 1`;

const keyOf = (subject: string) => `sockets:${subject}`;

/**
 * Counts the sockets of users and IP addresses over all web processes. Each process knows its own counts and writes them whole, so that a
 * command that failed leaves nothing wrong for longer than until Redis answers again.
 */
export class SocketCounts {
  private readonly process = randomUUID();
  private others: string[] = [];
  /** The sockets of this process by subject. */
  private readonly own = new Map<string, number>();
  /** The subjects whose count in Redis may be another. */
  private readonly unwritten = new Set<string>();
  private readonly scripts: Record<'enter' | 'write', Script<number>>;
  private readonly lostMs: number;
  private readonly timer: NodeJS.Timeout;
  private announced: Promise<void>;

  constructor(
    private readonly redis: Redis,
    { beatMs = BEAT_MS, lostMs = LOST_MS }: { beatMs?: number; lostMs?: number } = {},
  ) {
    this.scripts = {
      enter: defineScript(redis, 'enterSocket', { numberOfKeys: 1, lua: ENTER }),
      write: defineScript(redis, 'writeSockets', { numberOfKeys: 1, lua: WRITE }),
    };
    this.lostMs = lostMs;
    this.announced = this.beat();
    this.timer = setInterval(() => {
      this.announced = this.beat();
    }, beatMs);
  }

  /**
   * Counts a socket of a subject until it closes.
   * @returns false, without counting, when the subject has `max` sockets; without Redis, those of this process are compared
   */
  async hold(subject: string, { max, socket }: { max: number; socket: Socket }): Promise<boolean> {
    if (max === Number.POSITIVE_INFINITY) return true;
    await this.announced;
    const own = this.count(subject, 1);
    if (own > max || !(await this.enter(subject, { own, max }))) {
      this.count(subject, -1);
      // Another socket of the subject that closed meanwhile has written a count with this one in it. At the next beat: a flood costs no more.
      this.unwritten.add(subject);
      return false;
    }
    const leave = () => {
      this.count(subject, -1);
      void this.write(subject);
    };
    if (socket.destroyed) leave();
    else socket.on('close', leave);
    return true;
  }

  close(): void {
    clearInterval(this.timer);
  }

  /** Never rejects: without Redis the last known processes count. */
  private async beat(): Promise<void> {
    const now = Date.now();
    try {
      await this.redis.zadd(PROCESSES, now, this.process);
      await this.redis.zremrangebyscore(PROCESSES, '-inf', now - this.lostMs);
      const all = await this.redis.zrange(PROCESSES, 0, '-1');
      this.others = all.filter((one) => one !== this.process);
      void this.writeMissed();
    } catch {
      return;
    }
  }

  private async writeMissed(): Promise<void> {
    const missed = [...this.unwritten];
    for (const subject of missed) await this.write(subject);
  }

  /** Changes the count of this process, and returns it. */
  private count(subject: string, change: 1 | -1): number {
    const count = (this.own.get(subject) ?? 0) + change;
    if (count > 0) this.own.set(subject, count);
    else this.own.delete(subject);
    return count;
  }

  /** Whether all processes together have room for the newest of this one's sockets. */
  private async enter(subject: string, { own, max }: { own: number; max: number }) {
    try {
      const args = [this.process, own, max, KEPT_MS, ...this.others];
      return (await this.scripts.enter(keyOf(subject), ...args)) === 1;
    } catch {
      this.unwritten.add(subject);
      return true;
    }
  }

  private async write(subject: string): Promise<void> {
    this.unwritten.delete(subject);
    const count = this.own.get(subject) ?? 0;
    try {
      await this.scripts.write(keyOf(subject), this.process, count, KEPT_MS);
    } catch {
      this.unwritten.add(subject);
    }
  }
}
