import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { listen } from '../run/listen.ts';
import { lockFolder } from '../run/lock.ts';
import type { Doc } from './bson.ts';
import { answer, refusal } from './commands/run.ts';
import { Cursors } from './cursors.ts';
import { MongoError } from './errors.ts';
import { Store } from './store.ts';
import { removeExpired } from './ttl.ts';
import { Framer, type Request, readRequest, writeReply } from './wire.ts';

const MAINTENANCE_MS = 60_000;
/** Maximum number of commands in one transaction; with more, the first one would wait too long. */
const MAX_GROUP = 64;

export interface EmbeddedMongo {
  port: number;
  /** Commits all received commands, ends all connections and closes the file. */
  close(): Promise<void>;
}

/**
 * Starts the embedded database on the folder `dir`, for this machine alone.
 * @param options.port 0 for a free one
 * @param options.maintenanceMs how often expired documents and idle cursors are removed
 * @param options.report receives failures that are not refusals: bugs of this server, a full disk
 * @throws StartError when the folder or the port is in use
 */
export async function startEmbeddedMongo(options: {
  dir: string;
  port: number;
  maintenanceMs?: number;
  report?: (error: unknown) => void;
}): Promise<EmbeddedMongo> {
  const lock = await lockFolder(options.dir);
  const store = new Store(lock.path);
  const engine = new Engine(store, options.report ?? (() => undefined));
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.setNoDelay());
    socket.on('close', () => sockets.delete(socket));
    serve(socket, engine);
  });
  const port = await listen(server, options.port).catch((error: unknown) => {
    store.close();
    lock.release();
    throw error;
  });
  const timer = setInterval(() => engine.maintain(), options.maintenanceMs ?? MAINTENANCE_MS);
  return {
    port,
    async close() {
      clearInterval(timer);
      server.close();
      engine.close();
      for (const socket of sockets) socket.destroySoon();
      await once(server, 'close');
      lock.release();
    },
  };
}

function serve(socket: Socket, engine: Engine): void {
  const framer = new Framer();
  // A client that disconnects does not affect the others.
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    try {
      for (const message of framer.push(chunk)) {
        const request = readRequest(message);
        const waitMs = awaitedMs(request);
        if (waitMs > 0) return repeatAnswer(socket, engine, { request, everyMs: waitMs });
        engine.add(request.command, (reply) => {
          if (request.wantsReply && socket.writable) socket.write(writeReply(request, reply));
        });
      }
    } catch {
      // The client does not use the protocol.
      socket.destroy();
    }
  });
}

/** For how long a driver that watches the server waits for news in the answer of `hello`; 0 for every other command. */
const awaitedMs = ({ command, takesMore }: Request): number =>
  takesMore && command.hello !== undefined && command.topologyVersion !== undefined
    ? Number(command.maxAwaitTimeMS ?? 0)
    : 0;

/**
 * Answers as a server of MongoDB without news: whenever the driver has waited, on a connection that sends nothing else. The driver then
 * always has an answer to wait for, and sees at once that the connection has closed.
 */
function repeatAnswer(
  socket: Socket,
  engine: Engine,
  { request, everyMs }: { request: Request; everyMs: number },
): void {
  const answerAgain = () =>
    engine.add(request.command, (reply) => {
      if (socket.writable) socket.write(writeReply(request, reply, true));
    });
  const timer = setInterval(answerAgain, everyMs);
  socket.once('close', () => clearInterval(timer));
}

/**
 * Runs commands one after another. Commands that arrive in the same tick of the event loop share a transaction, and no client is answered
 * before it is committed.
 */
class Engine {
  readonly #store: Store;
  readonly #cursors = new Cursors();
  readonly #report: (error: unknown) => void;
  #closed = false;
  #waiting: { command: Doc; reply: (reply: Doc) => void }[] = [];

  constructor(store: Store, report: (error: unknown) => void) {
    this.#store = store;
    this.#report = report;
  }

  add(command: Doc, reply: (reply: Doc) => void): void {
    if (this.#closed) return;
    this.#waiting.push({ command, reply });
    if (this.#waiting.length === 1) setImmediate(() => this.#next());
  }

  /** Runs the waiting commands, and no later ones. */
  close(): void {
    this.#closed = true;
    while (this.#waiting.length > 0) this.#runGroup();
    this.#store.close();
  }

  maintain(): void {
    if (this.#closed) return;
    this.#cursors.closeIdle();
    let more = false;
    try {
      more = this.#store.atomically(() => removeExpired(this.#store, new Date()));
    } catch (error) {
      this.#report(error);
    }
    // Also after a failure, so that the next group begins a transaction of its own.
    const failure = this.#commit();
    if (more && !failure) setImmediate(() => this.maintain());
  }

  #next(): void {
    if (!this.#closed) this.#runGroup();
    if (this.#waiting.length > 0) setImmediate(() => this.#next());
  }

  #runGroup(): void {
    const group = this.#waiting.slice(0, MAX_GROUP);
    const context = { store: this.#store, cursors: this.#cursors };
    const replies = group.map(({ command }) => answer(command, context, this.#report));
    const failure = this.#commit();
    this.#waiting = this.#waiting.slice(group.length);
    for (const [i, { reply }] of group.entries()) reply(failure ?? replies[i] ?? {});
  }

  /** @returns the answer for clients whose writes were lost. */
  #commit(): Doc | undefined {
    try {
      this.#store.commit();
      return undefined;
    } catch (error) {
      this.#report(error);
      return refusal(new MongoError(8, `The embedded database could not commit: ${String(error)}`));
    }
  }
}
