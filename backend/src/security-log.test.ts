import { expect, it } from 'vitest';
import { createSecurityLog } from './security-log.ts';

const linesAt = (level: string) => {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string) => {
    lines.push(JSON.parse(line) as Record<string, unknown>);
  };
  const log = createSecurityLog({ level }, { write });
  log.record({ event: 'sign_in_failed', userId: 'u1', ip: '192.0.2.1', method: 'password' });
  return lines;
};

it('records under its own logger name, even when the process logs only errors', () => {
  expect(linesAt('error')).toEqual([
    expect.objectContaining({
      name: 'security',
      event: 'sign_in_failed',
      userId: 'u1',
      ip: '192.0.2.1',
      method: 'password',
    }),
  ]);
});

it('is silent when the log level is silent', () => {
  expect(linesAt('silent')).toEqual([]);
});
