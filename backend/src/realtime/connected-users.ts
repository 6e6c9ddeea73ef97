import { userChannel } from './bus.ts';
import type { Channels } from './channels.ts';

interface ConnectedUser<S> {
  sockets: Set<S>;
  /** Resolves when Redis has confirmed the subscription, with the function that ends it. */
  subscription: Promise<() => void>;
}

export interface ConnectedUsers<S> {
  /**
   * Counts a socket of the user and resolves when events of the user arrive at this process.
   * @returns false, without counting, when the user has too many sockets
   */
  add: (userId: string, socket: S) => Promise<boolean>;
  /** No effect on a socket that is not counted. */
  remove: (userId: string, socket: S) => void;
  socketsOf: (userId: string) => Iterable<S>;
}

interface ConnectedUsersOptions {
  channels: Pick<Channels, 'subscribe'>;
  /** Sockets that one user may have on this process. */
  maxPerUser: number;
  /** Called once for each text published about a connected user, independent of the number of sockets. */
  deliver: (userId: string, text: string) => void;
}

/** The users with sockets on this process, with one Redis subscription each, from the first socket to the last. */
export function createConnectedUsers<S>(options: ConnectedUsersOptions): ConnectedUsers<S> {
  const { channels, maxPerUser, deliver } = options;
  const users = new Map<string, ConnectedUser<S>>();

  const subscribe = (userId: string): ConnectedUser<S> => {
    const subscription = channels.subscribe(userChannel(userId), (text) => deliver(userId, text));
    const user = { sockets: new Set<S>(), subscription };
    users.set(userId, user);
    return user;
  };

  return {
    add: async (userId, socket) => {
      const user = users.get(userId) ?? subscribe(userId);
      if (user.sockets.size >= maxPerUser) return false;
      user.sockets.add(socket);
      await user.subscription;
      return true;
    },
    remove: (userId, socket) => {
      const user = users.get(userId);
      if (!user?.sockets.delete(socket) || user.sockets.size > 0) return;
      users.delete(userId);
      user.subscription.then(
        (stop) => stop(),
        () => undefined,
      );
    },
    socketsOf: (userId) => users.get(userId)?.sockets ?? [],
  };
}
