import { connect, createServer } from 'node:net';
import type { Doc } from '../embedded/mongo/bson.ts';
import { Framer, readRequest, writeReply } from '../embedded/mongo/wire.ts';
import { listenOn } from '../src/http/serve.fixture.ts';

/** The `appName` of processes of the product, which send no statements of tests. */
export const PRODUCT = 'stolas-product';

export interface DatabaseProxy {
  /** The address of the database behind the proxy. */
  uri: string;
  close: () => void;
}

/**
 * Passes everything to the database at `uri`, and calls `see` with each command, its bytes on the wire and the `appName` of its client. What
 * it returns is the answer to the command, in place of the database's.
 */
export async function proxyDatabase(
  uri: string,
  see: (command: Doc, bytes: number, client: string) => Doc | undefined | void,
): Promise<DatabaseProxy> {
  const target = new URL(uri);
  const proxy = createServer((client) => {
    const framer = new Framer();
    const server = connect(Number(target.port), target.hostname);
    let name = '';
    client.on('data', (chunk) => {
      for (const message of framer.push(chunk)) {
        const request = readRequest(message);
        name ||= appNameIn(request.command);
        const answer = see(request.command, message.length, name);
        if (answer) client.write(writeReply(request, answer));
        else server.write(message);
      }
    });
    server.on('data', (chunk) => client.write(chunk));
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      one.on('error', () => undefined);
      one.on('close', () => other.destroy());
    }
  });
  const address = new URL(uri);
  address.port = String(await listenOn(proxy));
  return { uri: address.toString(), close: () => proxy.close() };
}

/** The name with which a driver introduces itself in the first command of a connection. */
function appNameIn({ client }: Doc): string {
  const { application } = (client ?? {}) as { application?: { name?: string } };
  return application?.name ?? '';
}
