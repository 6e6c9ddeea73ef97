import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

const CHUNKS_PER_SECOND = 4;

/** A model provider whose replies all have the same text and take `seconds`. */
export async function startSlowProvider(seconds: number) {
  const chunks = Array.from({ length: seconds * CHUNKS_PER_SECOND }, (_, i) => `word-${i} 🦉 `);
  const event = (delta: object, finish: string | null) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const server = createServer((req, res) => {
    void text(req).catch(() => '');
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    let sent = 0;
    const timer = setInterval(() => {
      const chunk = chunks[sent];
      sent += 1;
      if (chunk !== undefined) {
        res.write(event({ content: chunk }, null));
        return;
      }
      clearInterval(timer);
      res.end(`${event({}, 'stop')}data: [DONE]\n\n`);
    }, 1_000 / CHUNKS_PER_SECOND);
    res.once('close', () => clearInterval(timer));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    content: chunks.join(''),
    settings: { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`, OPENAI_API_KEY: 'test' },
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
