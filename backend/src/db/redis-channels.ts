import { Command, type Redis as Server } from 'ioredis';
import { isCluster, type Redis, retrying } from './redis.ts';

/** The servers that carry channels, and the commands for it. On a Cluster only sharded ones: the others pass every node. */
export interface ChannelServers {
  commands: {
    publish: 'publish' | 'spublish';
    subscribe: 'subscribe' | 'ssubscribe';
    unsubscribe: 'unsubscribe' | 'sunsubscribe';
    message: 'message' | 'smessage';
  };
  /** The name of the server of a channel. */
  serverOf: (channel: string) => string;
  /** Makes a connection to a server, which opens with its first command, reconnects without limit and subscribes to nothing by itself. */
  connectTo: (server: string) => Server;
  /** Reads anew which server has which channels. */
  refresh: () => Promise<void>;
  /** Called after each reading. */
  onRefresh: (handler: () => void) => void;
}

/** The command with which Redis publishes, also in scripts. */
export const publishCommand = (redis: Redis): 'publish' | 'spublish' =>
  isCluster(redis) ? 'spublish' : 'publish';

/**
 * A connection that leaves a command, such as a ping, unanswered for 5 s is replaced. `autoResubscribe` would leave an unhandled error when a
 * channel has moved meanwhile.
 */
const SUBSCRIBER = {
  ...retrying,
  commandTimeout: undefined,
  socketTimeout: 5_000,
  autoResubscribe: false,
  readOnly: false,
  lazyConnect: true,
};

export function channelServers(redis: Redis): ChannelServers {
  const publish = publishCommand(redis);
  if (!isCluster(redis))
    return {
      commands: {
        publish,
        subscribe: 'subscribe',
        unsubscribe: 'unsubscribe',
        message: 'message',
      },
      serverOf: () => '',
      connectTo: () => redis.duplicate(SUBSCRIBER),
      refresh: async () => undefined,
      onRefresh: () => undefined,
    };
  return {
    commands: {
      publish,
      subscribe: 'ssubscribe',
      unsubscribe: 'sunsubscribe',
      message: 'smessage',
    },
    serverOf: (channel) => redis.slots[slotOf(channel)]?.[0] ?? '',
    connectTo: (server) => {
      const node = redis.nodes().find(({ options }) => nameOf(options) === server);
      if (!node) throw new Error(`The Redis Cluster has no node ${server}.`);
      return node.duplicate(SUBSCRIBER);
    },
    refresh: () => new Promise((resolve) => redis.refreshSlotsCache(() => resolve())),
    onRefresh: (handler) => redis.on('refresh', handler),
  };
}

const slotOf = (channel: string): number => new Command('ssubscribe', [channel]).getSlot();

/** As in the slots of an ioredis Cluster. */
const nameOf = ({ host, port }: Server['options']) => `${host}:${port}`;
