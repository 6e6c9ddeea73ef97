import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { startRedis } from './processes.ts';

it('starts a Redis for the test run, and separate ones that keep their data after a kill', async () => {
  expect(process.env.REDIS_URL).toMatch(/^redis:/);
  const redis = await startRedis();
  expect(await ask(redis.port, 'SET key kept')).toContain('+OK');
  await redis.kill('SIGKILL');
  await expect(ask(redis.port, 'PING')).rejects.toThrow('ECONNREFUSED');
  await redis.restart();
  expect(await ask(redis.port, 'GET key')).toContain('kept');
});

function ask(port: number, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${command}\r\n`));
    socket.once('error', reject).once('data', (data) => {
      socket.destroy();
      resolve(data.toString());
    });
  });
}
