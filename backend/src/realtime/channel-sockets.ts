import type { Channels } from './channels.ts';

interface Channel<S> {
  sockets: Set<S>;
  /** The calls of `add` that wait until Redis has confirmed the subscription; undefined after it. */
  waiting: Set<{ socket: S; resolve: () => void; reject: (error: unknown) => void }> | undefined;
  /** Ends the subscription; undefined until Redis has confirmed it. */
  stop: (() => void) | undefined;
}

export interface ChannelSockets<S> {
  /**
   * Adds a socket to a channel. Resolves when events of the channel arrive at this process, or when the socket has been removed.
   * @throws the error of Redis when it refuses; then the socket is not added
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
    const channel: Channel<S> = { sockets: new Set(), waiting: new Set(), stop: undefined };
    channels.set(name, channel);
    void begin(name, channel);
    return channel;
  };

  const begin = async (name: string, channel: Channel<S>) => {
    try {
      channel.stop = await subscribe(name, (text) => deliver(name, text));
      for (const { resolve } of channel.waiting ?? []) resolve();
      channel.waiting = undefined;
      endUnused(name, channel);
    } catch (error) {
      channels.delete(name);
      for (const { reject } of channel.waiting ?? []) reject(error);
    }
  };

  /** Keeps a subscription that Redis has not confirmed: while it is unreachable, one for each socket that comes and goes would pile up. */
  const endUnused = (name: string, { sockets, stop }: Channel<S>) => {
    if (!stop || sockets.size > 0) return;
    channels.delete(name);
    stop();
  };

  return {
    add: async (name, socket) => {
      const channel = channels.get(name) ?? open(name);
      channel.sockets.add(socket);
      const { waiting } = channel;
      if (!waiting) return;
      await new Promise<void>((resolve, reject) => {
        waiting.add({ socket, resolve, reject });
      });
    },
    remove: (name, socket) => {
      const channel = channels.get(name);
      if (!channel?.sockets.delete(socket)) return;
      // Its caller would stay in memory until Redis answers.
      for (const one of channel.waiting ?? []) {
        if (one.socket !== socket) continue;
        channel.waiting?.delete(one);
        one.resolve();
      }
      endUnused(name, channel);
    },
    socketsOf: (name) => channels.get(name)?.sockets ?? new Set(),
  };
}
