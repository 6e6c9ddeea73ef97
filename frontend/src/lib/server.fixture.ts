import { vi } from 'vitest';

type Answer = { status?: number; body?: unknown } | 'no network';

/** Replaces `fetch`: answers by 'METHOD /path' and records the requests. */
export function fakeServer(answers: Record<string, Answer>) {
  const asked: { call: string; body: unknown }[] = [];
  vi.stubGlobal('fetch', async (path: string, init: RequestInit = {}) => {
    const call = `${init.method ?? 'GET'} ${path}`;
    asked.push({ call, body: typeof init.body === 'string' ? JSON.parse(init.body) : undefined });
    const answer = answers[call];
    if (answer === undefined) throw new Error(`The test's server has no answer for ${call}`);
    if (answer === 'no network') throw new TypeError('Failed to fetch');
    return new Response(JSON.stringify(answer.body ?? null), { status: answer.status ?? 200 });
  });
  return { answers, asked };
}
