import type { DeltaText, ReplyDelta, ReplyState } from '../../../contract/replies.ts';
import { defineScript, type Redis, type Script } from '../../../db/redis.ts';
import { publishCommand } from '../../../db/redis-channels.ts';
import { conversationChannel, decodeEvent, encodeEvent } from '../../../realtime/bus.ts';
import type { ReplyRecord } from '../messages/index.ts';

// After the end of a reply the database has everything, and only readers that began earlier still read its log. The longer time limits logs
// of replies that never end. The length limits memory: the checkpoint has the dropped entries.
export const ACTIVE_LOG_SECONDS = 6 * 3600;
export const ENDED_LOG_SECONDS = 60;
const MAX_ENTRIES = 10_000;
/** Entries per read; the text of a checkpoint is 10 s old at most, so one read usually reaches back to it. */
const READ_COUNT = 500;

// One script, so that nothing is published before it is logged: when Redis refuses an id because a later attempt has begun, the script ends
// before it publishes. An entry is the published text itself. A delta never creates the log: Redis may have lost it, or it was removed with
// the reply. Every created log expires.
// ARGV: 1 when the attempt begins or '', channel, then id and text of each entry; an empty text is not published.
const appendScript = (publish: string) => `
local begins = ARGV[1] ~= ''
if not begins and redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
for i = 3, #ARGV, 2 do
  redis.call('XADD', KEYS[1], 'MAXLEN', '~', ${MAX_ENTRIES}, ARGV[i], 'event', ARGV[i + 1])
end
if begins or redis.call('TTL', KEYS[1]) == -1 then redis.call('EXPIRE', KEYS[1], ${ACTIVE_LOG_SECONDS}) end
for i = 3, #ARGV, 2 do
  if ARGV[i + 1] ~= '' then redis.call('${publish}', ARGV[2], ARGV[i + 1]) end
end
return 1`;

// ARGV: the ended attempt. A later attempt keeps its log.
const END = `
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if last and tonumber(string.match(last[1], '^%d+')) > tonumber(ARGV[1]) then return 0 end
redis.call('EXPIRE', KEYS[1], ${ENDED_LOG_SECONDS})
return 1`;

/** A later attempt has begun: all further writes of this one are refused. */
export class FencedError extends Error {
  override name = 'FencedError';
}

/** A reply with the conversation that its log belongs to. */
type Logged = Pick<ReplyRecord, 'id' | 'conversationId'>;

/** The attempt that writes, and the user whose tabs learn its state. */
export interface LogWriter {
  replyId: string;
  conversationId: string;
  ownerId: string;
  attempt: number;
}

/**
 * The log of a reply's text: one Redis stream per reply, with entry ids `<attempt>-<seq>`. Redis accepts only increasing ids: once an
 * attempt has begun, no delta of an earlier one is logged or published. The log has the hash tag of the conversation's channel, so that
 * a Redis Cluster runs a script that writes one and publishes on the other.
 */
export type ReplyLog = ReturnType<typeof createReplyLog>;

/** The Redis key of a reply's log. */
export const logKey = ({ id, conversationId }: Logged): string => `reply:{${conversationId}}:${id}`;

/** The key under which the build before these keys logs; replies of its workers run until they are drained. */
const formerKey = ({ id }: Logged) => `reply:${id}`;

const keysOf = (reply: Logged) => [logKey(reply), formerKey(reply)];

const fenced = (error: unknown) => {
  const lost = error instanceof Error && error.message.includes('equal or smaller');
  return lost ? new FencedError('A later attempt has this reply.') : error;
};

function scriptsOf(redis: Redis) {
  const lua = appendScript(publishCommand(redis));
  return {
    appendTo: defineScript<0 | 1>(redis, 'appendToReplyLog', { numberOfKeys: 1, lua }),
    end: defineScript<0 | 1>(redis, 'endReplyLog', { numberOfKeys: 1, lua: END }),
  };
}

/** Publishes the states of replies. */
interface Publisher {
  publish: (ownerId: string, event: 'reply:state', state: ReplyState) => Promise<void>;
}

export function createReplyLog(redis: Redis, bus: Publisher) {
  const { appendTo, end } = scriptsOf(redis);
  return {
    /**
     * Begins an attempt without publishing; from here on earlier attempts are fenced off.
     * @throws FencedError when a later attempt has begun; the connection's error when Redis is unreachable.
     */
    fence: async (writer: LogWriter): Promise<void> => {
      await append(appendTo, writer, { seq: 0, deltas: [], begins: true });
    },

    /**
     * Logs deltas as entries `seq` and following, and publishes them on the conversation's channel. With `state` the attempt begins, and
     * the state is then published. `seq` may skip but never repeat: after an error the next call needs a higher one, because
     * the earlier call may still take effect. Begin an attempt only after the database has accepted it.
     * @returns false when there is no log (any more) and the attempt does not begin: then nothing was logged or published
     * @throws as `fence` does.
     */
    append: async (
      writer: LogWriter,
      { seq, deltas, state }: { seq: number; deltas: DeltaText[]; state?: ReplyState | undefined },
    ): Promise<boolean> => {
      const added = await append(appendTo, writer, { seq, deltas, begins: state !== undefined });
      if (added && state) await bus.publish(writer.ownerId, 'reply:state', state);
      return added;
    },

    /**
     * Makes the log expire soon and publishes the end of an attempt. Nothing happens once a later attempt has begun: the worker may have
     * been frozen after it stored the end.
     */
    end: async (ownerId: string, state: ReplyState): Promise<void> => {
      const { replyId: id, conversationId, attempt } = state;
      if ((await end(logKey({ id, conversationId }), attempt)) === 1)
        await bus.publish(ownerId, 'reply:state', state);
    },

    /** Resolves when Redis answers. */
    ping: async (): Promise<void> => {
      await redis.ping();
    },

    remove: async (replies: readonly Logged[]): Promise<void> => {
      await Promise.all(replies.flatMap(keysOf).map((key) => redis.unlink(key)));
    },

    /** The number of logs of these replies. */
    count: async (replies: readonly Logged[]): Promise<number> => {
      const counts = await Promise.all(replies.flatMap(keysOf).map((key) => redis.exists(key)));
      return counts.filter((count) => count === 1).length;
    },

    /** The deltas of one attempt in order that reach beyond `offset`. */
    read: async (reply: Logged, attempt: number, offset: number): Promise<DeltaText[]> => {
      const range = { attempt, offset };
      const deltas = await readDeltas(redis, logKey(reply), range);
      return deltas.length > 0 ? deltas : readDeltas(redis, formerKey(reply), range);
    },
  };
}

interface Append {
  seq: number;
  deltas: DeltaText[];
  begins: boolean;
}

async function append(
  appendTo: Script<0 | 1>,
  { replyId, conversationId, attempt }: LogWriter,
  { seq, deltas, begins }: Append,
): Promise<boolean> {
  const texts = deltas.map((delta) => {
    const published: ReplyDelta = { replyId, conversationId, attempt, ...delta };
    return encodeEvent('reply:delta', published);
  });
  // An attempt begins by an entry, even without text.
  const entries = (texts.length > 0 ? texts : ['']).flatMap((text, i) => [
    `${attempt}-${seq + i}`,
    text,
  ]);
  const key = logKey({ id: replyId, conversationId });
  const channel = conversationChannel(conversationId);
  const added = await appendTo(key, begins ? 1 : '', channel, ...entries).catch(
    (error: unknown) => {
      throw fenced(error);
    },
  );
  return added === 1;
}

async function readDeltas(
  redis: Redis,
  key: string,
  { attempt, offset }: { attempt: number; offset: number },
): Promise<DeltaText[]> {
  const deltas: DeltaText[] = [];
  const start = `${attempt}-0`;
  for (let end = `${attempt}`; ; ) {
    const entries = await redis.xrevrange(key, end, start, 'COUNT', READ_COUNT);
    for (const [id, [field = '', value = '']] of entries) {
      end = `(${id}`;
      if (value !== '') deltas.push(deltaOf(field, value));
    }
    const first = deltas.at(-1);
    if (entries.length < READ_COUNT || (first && first.offset <= offset)) break;
  }
  return deltas.toReversed();
}

/** The delta of an entry; the former build logs it without the event around it. */
function deltaOf(field: string, value: string): DeltaText {
  if (field !== 'event') return JSON.parse(value) as DeltaText;
  const {
    replyId: _r,
    conversationId: _c,
    attempt: _a,
    ...delta
  } = decodeEvent(value).payload as ReplyDelta;
  return delta;
}
