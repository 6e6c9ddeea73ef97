import type { Channels } from './channels.ts';

interface Channel<S> {
  sockets: Set<S>;
  /** Resolves when Redis has confirmed the subscription, with the function that ends it. */
  subscription: Promise<() => void>;
}

export interface ChannelSockets<S> {
  /**
   * Adds a socket to a channel. Resolves when events of the channel arrive at this process.
   * @throws the connection's error when Redis is unreachable; then the socket is not added
   */
  add: (channel: string, socket: S) => Promise<void>;
  /** No effect on a socket that is not in the channel. */
  remove: (channel: string, socket: S) => void;
  socketsOf: (channel: string) => ReadonlySet<S>;
}

interface ChannelSocketsOptions {
  subscribe: Channels['subscribe'];
  /** Called once for each text published on a channel, independent of the number of sockets. */
  deliver: (channel: string, text: string) => void;
}

/** The channels with sockets on this process, with one Redis subscription each, from the first socket to the last. */
export function createChannelSockets<S>(options: ChannelSocketsOptions): ChannelSockets<S> {
  const { subscribe, deliver } = options;
  const channels = new Map<string, Channel<S>>();

  const open = (name: string): Channel<S> => {
    const subscription = subscribe(name, (text) => deliver(name, text));
    const channel = { sockets: new Set<S>(), subscription };
    channels.set(name, channel);
    return channel;
  };

  const remove = (name: string, socket: S) => {
    const channel = channels.get(name);
    if (!channel?.sockets.delete(socket) || channel.sockets.size > 0) return;
    channels.delete(name);
    channel.subscription.then(
      (stop) => stop(),
      () => undefined,
    );
  };

  return {
    add: async (name, socket) => {
      const channel = channels.get(name) ?? open(name);
      channel.sockets.add(socket);
      try {
        await channel.subscription;
      } catch (error) {
        remove(name, socket);
        throw error;
      }
    },
    remove,
    socketsOf: (name) => channels.get(name)?.sockets ?? new Set(),
  };
}
