import { createServer, type IncomingMessage, request as send } from 'node:http';
import { listen } from './listen.ts';

type Moment = 'before' | 'after';

interface Hold {
  matches: (request: IncomingMessage) => boolean;
  moment: Moment;
  onHeld: () => void;
}

/** A gate before an HTTP server, at which a test stops one request, before the server gets it or after it was served. */
export interface HttpGate {
  url: string;
  /** Resolves once the first matching request is stopped; it is never answered. */
  hold: (moment: Moment, matches: Hold['matches']) => Promise<void>;
  /** Forgets the requests so far and stops no further one. */
  open: () => void;
}

/** Starts a gate to `url`; it ends with the test file. The Host header stays unchanged, because signatures cover it. */
export async function startHttpGate(url: string): Promise<HttpGate> {
  const target = new URL(url);
  let hold: Hold | undefined;
  const server = createServer((incoming, response) => {
    const held = hold?.matches(incoming) ? hold : undefined;
    if (held) hold = undefined;
    if (held?.moment === 'before') return held.onHeld();
    const outgoing = send(
      {
        host: target.hostname,
        port: target.port,
        method: incoming.method,
        path: incoming.url,
        headers: incoming.headers,
        setHost: false,
      },
      (answer) => {
        if (held) {
          answer.resume().once('end', held.onHeld);
          return;
        }
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    outgoing.on('error', () => response.destroy());
    return void incoming.pipe(outgoing);
  });
  return {
    url: await listen(server),
    hold: (moment, matches) =>
      new Promise((onHeld) => {
        hold = { matches, moment, onHeld };
      }),
    open: () => {
      hold = undefined;
    },
  };
}
