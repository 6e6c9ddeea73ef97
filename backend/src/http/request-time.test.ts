import { once } from 'node:events';
import { type ClientRequest, createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { expect, it } from 'vitest';
import { allowFormTime, boundRequestTime } from './request-time.ts';

it('ends a request whose body does not arrive in time, and lets a form take longer', async () => {
  const app = express();
  app.use(boundRequestTime(300));
  app.post('/form', (req, _res, next) => {
    allowFormTime(req);
    next();
  });
  app.use((req, res) => {
    req.on('error', () => undefined);
    req.resume().once('end', () => res.end('whole'));
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const begin = (path: string): ClientRequest => {
    const sent = request({ port, path, method: 'POST' });
    sent.write('the first half');
    return sent;
  };
  const form = begin('/form');
  const other = begin('/other');
  const [error] = (await once(other, 'error')) as [NodeJS.ErrnoException];
  expect(error.code).toBe('ECONNRESET');
  form.end('the second half');
  const [answer] = (await once(form, 'response')) as [IncomingMessage];
  expect(answer.statusCode).toBe(200);
  answer.resume();
  server.close();
});
