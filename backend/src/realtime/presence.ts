import { randomUUID } from 'node:crypto';
import { MAX_PRESENT, type Presence } from '../contract/realtime.ts';
import { defineScript, type Redis, type Script } from '../db/redis.ts';
import { publishCommand } from '../db/redis-channels.ts';
import type { Log } from '../log.ts';
import { conversationChannel } from './bus.ts';

/** The people of a process that no longer writes them are gone after this long and one beat of another process. */
const LIFE_MS = 20_000;
/** A process writes its people of a conversation this often, with one command. */
const BEAT_MS = 10_000;
/** Who has not said for this long that they are writing, is not. */
const TYPING_MS = 6_000;

// A hash of people by process and user, so that a user with tabs on several processes is one person until the last tab has gone. Redis'
// clock counts. The list is written by hand: cjson orders fields at random, and writes an empty list as an object.
// KEYS: the people. ARGV: channel, conversation, life in ms, '1' to publish, then field and person of each; an empty person has left.
const presenceScript = (publish: string) => `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for i = 5, #ARGV, 2 do
  if ARGV[i + 1] == '' then redis.call('HDEL', KEYS[1], ARGV[i])
  else
    local one = cjson.decode(ARGV[i + 1])
    one.ends = now + ARGV[3]
    one.writes = now + one.writesMs
    redis.call('HSET', KEYS[1], ARGV[i], cjson.encode(one))
  end
end
local people, byId = {}, {}
local stored = redis.call('HGETALL', KEYS[1])
for i = 1, #stored, 2 do
  local one = cjson.decode(stored[i + 1])
  if one.ends <= now then redis.call('HDEL', KEYS[1], stored[i])
  else
    local known = byId[one.id]
    if not known then
      known = { id = one.id, name = one.name, since = one.since, state = 'here' }
      byId[one.id] = known
      table.insert(people, known)
    end
    known.since = math.min(known.since, one.since)
    if one.writes > now then known.state = 'typing' end
  end
end
redis.call('PEXPIRE', KEYS[1], ARGV[3])
table.sort(people, function(a, b)
  if a.state ~= b.state then return a.state == 'typing' end
  if a.since ~= b.since then return a.since < b.since end
  return a.id < b.id
end)
local users = {}
for i = 1, math.min(#people, ${MAX_PRESENT}) do
  local one = people[i]
  users[i] = '{"id":' .. cjson.encode(one.id) .. ',"name":' .. cjson.encode(one.name) .. ',"state":"' .. one.state .. '"}'
end
local presence = '{"conversationId":' .. cjson.encode(ARGV[2]) .. ',"users":[' .. table.concat(users, ',') .. '],"count":' .. #people .. '}'
if ARGV[4] == '1' then
  redis.call('${publish}', ARGV[1], '{"event":"presence","payload":' .. presence .. '}')
end
return presence`;

/** Somebody with tabs of this process on a conversation. */
interface Someone {
  tabs: Set<object>;
  since: number;
  /** Unknown at first: nobody sees them yet. */
  name?: string;
  /** While they are writing. */
  writing?: { until: number; timer: NodeJS.Timeout };
}

interface PresenceOptions {
  redis: Redis;
  nameOf: (userId: string) => Promise<string>;
  /** Sends to the tabs of this process that watch the conversation. */
  emit: (presence: Presence) => void;
  log: Log;
  beatMs?: number;
  lifeMs?: number;
}

/** A tab that watches a conversation. */
interface Tab {
  data: { userId: string };
}

/**
 * Who has a shared conversation open, over all web processes. Callers have checked that they may read it. What Redis loses or misses is
 * there again at the next beat.
 */
export class PresenceNotes {
  private readonly process = randomUUID();
  /** By conversation and user. */
  private readonly here = new Map<string, Map<string, Someone>>();
  private readonly note: Script<string>;
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly options: PresenceOptions) {
    const { redis, beatMs = BEAT_MS } = options;
    const lua = presenceScript(publishCommand(redis));
    this.note = defineScript(redis, 'notePresence', { numberOfKeys: 1, lua });
    // Without Redis nobody comes or goes.
    this.timer = setInterval(() => void this.beat().catch(() => undefined), beatMs);
  }

  /** A tab shows the conversation. All of them learn who is there, also when the user was there already. */
  enter(id: string, tab: Tab): void {
    const { userId } = tab.data;
    const people = this.here.get(id) ?? new Map<string, Someone>();
    const someone = people.get(userId) ?? { tabs: new Set(), since: Date.now() };
    if (someone.tabs.has(tab)) return;
    someone.tabs.add(tab);
    this.here.set(id, people.set(userId, someone));
    if (someone.name !== undefined) this.tell(id, userId);
    else
      this.name(id, userId, someone).catch((error: unknown) =>
        this.options.log.warn({ err: error }, 'name of a present user not found'),
      );
  }

  /** No effect on a tab that has not entered. */
  leave(id: string, tab: Tab): void {
    const { userId } = tab.data;
    const someone = this.find(id, userId);
    if (!someone?.tabs.delete(tab) || someone.tabs.size > 0) return;
    clearTimeout(someone.writing?.timer);
    this.here.get(id)?.delete(userId);
    if (this.here.get(id)?.size === 0) this.here.delete(id);
    if (someone.name !== undefined) this.tell(id, userId);
  }

  /** Whether the tab has entered. */
  has(id: string, tab: Tab): boolean {
    return this.find(id, tab.data.userId)?.tabs.has(tab) ?? false;
  }

  /** The user of a tab is writing. No effect on a tab that has not entered. */
  write(id: string, tab: Tab): void {
    const { userId } = tab.data;
    const someone = this.find(id, userId);
    if (someone?.name === undefined || !someone.tabs.has(tab)) return;
    clearTimeout(someone.writing?.timer);
    const timer = setTimeout(() => this.endWriting(id, userId), TYPING_MS).unref();
    someone.writing = { until: Date.now() + TYPING_MS, timer };
    this.tell(id, userId);
  }

  /** The user has sent the message, or has written nothing more. */
  endWriting(id: string, userId: string): void {
    const someone = this.find(id, userId);
    if (!someone?.writing) return;
    clearTimeout(someone.writing.timer);
    delete someone.writing;
    this.tell(id, userId);
  }

  close(): void {
    clearInterval(this.timer);
  }

  private find(id: string, userId: string): Someone | undefined {
    return this.here.get(id)?.get(userId);
  }

  private async name(id: string, userId: string, someone: Someone): Promise<void> {
    someone.name = await this.options.nameOf(userId);
    if (this.find(id, userId) === someone) this.tell(id, userId);
  }

  private tell(id: string, userId: string): void {
    this.store(id, [userId], { publish: true }).catch((error: unknown) =>
      this.options.log.warn({ err: error }, 'presence not published'),
    );
  }

  private async beat(): Promise<void> {
    for (const [id, people] of this.here) {
      const named = [...people].filter(([, { name }]) => name !== undefined);
      const userIds = named.map(([userId]) => userId);
      const presence = await this.store(id, userIds, { publish: false });
      this.options.emit(JSON.parse(presence) as Presence);
    }
  }

  /** Stores what is known of these users now; one who is not known has left. */
  private store(id: string, userIds: readonly string[], { publish }: { publish: boolean }) {
    const { lifeMs = LIFE_MS } = this.options;
    const fields = userIds.flatMap((userId) => {
      const someone = this.find(id, userId);
      return [`${this.process}:${userId}`, someone ? personOf(userId, someone) : ''];
    });
    const args = [conversationChannel(id), id, lifeMs, publish ? '1' : ''];
    return this.note(`presence:{${id}}`, ...args, ...fields);
  }
}

const personOf = (id: string, { name = '', since, writing }: Someone): string =>
  JSON.stringify({ id, name, since, writesMs: Math.max(0, (writing?.until ?? 0) - Date.now()) });
