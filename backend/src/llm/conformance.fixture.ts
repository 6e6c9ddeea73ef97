import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ChatEvent, ChatProvider, ProviderErrorCode } from './port.ts';

/** Behaviour that a user's message triggers in a provider. */
type Situation =
  | 'answers'
  | 'answersForLong'
  | 'tooManyRequests'
  | 'serverError'
  | 'hangs'
  | 'stalls'
  | 'cut'
  | 'endsEarly'
  | 'malformed'
  | 'refuses'
  | 'tooLong'
  | 'badKey';

/** The options that a test sets; the adapter's server sets the others. */
interface ProviderTuning {
  idleMs: number;
  sleep: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

export interface Rig {
  /** Port of the server behind the provider, which runs in this process. */
  port: number;
  provider(tuning: ProviderTuning): ChatProvider;
  close(): Promise<void>;
}

/** The failures that end a reply: the typed error, whether text was shown before, and the number of calls. */
const FAILURES: [Situation, { code: ProviderErrorCode; shown: boolean; calls: number }][] = [
  ['tooManyRequests', { code: 'provider_rate_limited', shown: false, calls: 3 }],
  ['serverError', { code: 'provider_unavailable', shown: false, calls: 3 }],
  ['hangs', { code: 'provider_timeout', shown: false, calls: 3 }],
  ['stalls', { code: 'provider_timeout', shown: true, calls: 1 }],
  ['cut', { code: 'provider_unavailable', shown: true, calls: 1 }],
  ['endsEarly', { code: 'provider_bad_response', shown: true, calls: 1 }],
  ['malformed', { code: 'provider_bad_response', shown: true, calls: 1 }],
  ['refuses', { code: 'provider_refused', shown: true, calls: 1 }],
  ['tooLong', { code: 'context_too_long', shown: false, calls: 1 }],
  ['badKey', { code: 'provider_auth', shown: false, calls: 1 }],
];

/** Long enough for a first token on a loaded machine. */
const SHORT_IDLE_MS = 500;
const LONG_IDLE_MS = 20_000;

/**
 * The tests that every adapter of `ChatProvider` passes, against a real server. A situation without a prompt is
 * skipped.
 */
export function describeProvider(
  name: string,
  { prompts, start }: { prompts: Partial<Record<Situation, string>>; start: () => Promise<Rig> },
): void {
  describe(`a provider of text: ${name}`, () => {
    let rig: Rig;
    let observed: ReturnType<typeof observeServer>;
    const pauses: number[] = [];
    const sleep: ProviderTuning['sleep'] = async (ms) => pauses.push(ms);

    beforeAll(async () => {
      rig = await start();
    });
    beforeEach(() => {
      pauses.length = 0;
      observed = observeServer(rig.port);
    });
    afterEach(() => observed.stop());
    afterAll(() => rig.close());

    function ask(
      situation: Situation,
      tuning: Partial<ProviderTuning & { signal: AbortSignal }> = {},
    ) {
      const { idleMs = LONG_IDLE_MS, signal = new AbortController().signal } = tuning;
      const provider = rig.provider({ idleMs, sleep: tuning.sleep ?? sleep });
      const content = prompts[situation] ?? '';
      return provider.stream({ messages: [{ role: 'user', content }], signal, maxTokens: 4_000 });
    }

    it.runIf(prompts.answers)('streams the answer in deltas, then reports its usage', async () => {
      const { events, error } = await collect(ask('answers'));
      expect(error).toBeUndefined();
      const deltas = events.slice(0, -1);
      expect(deltas.length).toBeGreaterThan(1);
      expect(deltas.every((event) => event.type === 'delta' && event.text !== '')).toBe(true);
      expect(events.at(-1)).toEqual({
        type: 'usage',
        promptTokens: expect.any(Number) as number,
        cachedTokens: expect.any(Number) as number,
        completionTokens: expect.any(Number) as number,
        reasoningTokens: expect.any(Number) as number,
        model: expect.stringMatching(/./) as string,
      });
      expect(observed.calls).toBe(1);
    });

    it.runIf(prompts.answers)('accepts a message with images', async () => {
      const content = prompts.answers ?? '';
      const images = [{ name: 'owl.png', type: 'image/png', bytes: Buffer.from('picture') }];
      const provider = rig.provider({ idleMs: LONG_IDLE_MS, sleep });
      const { signal } = new AbortController();
      const messages = [{ role: 'user' as const, content, images }];
      const { events, error } = await collect(
        provider.stream({ messages, signal, maxTokens: 4_000 }),
      );
      expect(error).toBeUndefined();
      expect(events.some(({ type }) => type === 'delta')).toBe(true);
    });

    it.for(FAILURES.filter(([situation]) => prompts[situation] !== undefined))(
      'ends with a typed error, and retries only before the first token: %s',
      async ([situation, { code, shown, calls }]) => {
        const { events, error } = await collect(ask(situation, { idleMs: SHORT_IDLE_MS }));
        expect(error).toMatchObject({ name: 'ProviderError', code });
        expect(events.some(({ type }) => type === 'delta')).toBe(shown);
        expect(observed.calls).toBe(calls);
        expect(pauses).toHaveLength(calls - 1);
        await expect.poll(() => observed.open).toBe(0);
      },
    );

    it.runIf(prompts.tooManyRequests)(
      'waits as long as the provider asks, and passes it on',
      async () => {
        const { error } = await collect(ask('tooManyRequests'));
        expect(pauses.every((ms) => ms >= 1_000)).toBe(true);
        expect(error).toMatchObject({ retryAfterMs: 1_000 });
      },
    );

    it.runIf(prompts.answersForLong)('hangs up at once when aborted in the middle', async () => {
      const abort = new AbortController();
      const reason = new Error('stopped by the user');
      const { events, error } = await collect(ask('answersForLong', { signal: abort.signal }), () =>
        abort.abort(reason),
      );
      expect(error).toBe(reason);
      expect(events).toHaveLength(1);
      await expect.poll(() => observed.abandoned).toBe(1);
      expect(observed.calls).toBe(1);
    });

    it.runIf(prompts.hangs)('hangs up at once when aborted before the first token', async () => {
      const abort = new AbortController();
      const reason = new Error('stopped by the user');
      const collected = collect(ask('hangs', { signal: abort.signal }));
      await expect.poll(() => observed.calls).toBe(1);
      abort.abort(reason);
      expect((await collected).error).toBe(reason);
      await expect.poll(() => observed.abandoned).toBe(1);
    });

    // Nothing is under way then: the usage belongs to a failed call.
    it.runIf(prompts.serverError)(
      'fails, and does not retry, when aborted during the pause',
      async () => {
        const abort = new AbortController();
        const reason = new Error('stopped by the user');
        const untilAborted: ProviderTuning['sleep'] = async (_, signal) => {
          abort.abort(reason);
          signal.throwIfAborted();
        };
        const { error } = await collect(
          ask('serverError', { signal: abort.signal, sleep: untilAborted }),
        );
        expect(error).toMatchObject({ name: 'ProviderError' });
        expect(observed.calls).toBe(1);
      },
    );

    it.runIf(prompts.answers)('makes no call when it was aborted before', async () => {
      const reason = new Error('stopped by the user');
      const { error } = await collect(ask('answers', { signal: AbortSignal.abort(reason) }));
      expect(error).toBe(reason);
      expect(observed.calls).toBe(0);
    });

    it.runIf(prompts.answersForLong)('hangs up when the reader stops reading', async () => {
      for await (const event of ask('answersForLong')) {
        expect(event.type).toBe('delta');
        break;
      }
      await expect.poll(() => observed.abandoned).toBe(1);
    });
  });
}

/** Reads to the end or the error. */
async function collect(
  stream: AsyncIterable<ChatEvent>,
  onEvent: () => void = () => {},
): Promise<{ events: ChatEvent[]; error: unknown }> {
  const events: ChatEvent[] = [];
  try {
    for await (const event of stream) {
      events.push(event);
      onEvent();
    }
  } catch (error) {
    return { events, error };
  }
  return { events, error: undefined };
}

/** Observes the server on `port` from inside this process, independent of the client's reports. */
function observeServer(port: number) {
  const seen = { calls: 0, open: 0, abandoned: 0 };
  const onRequest = (message: unknown) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    if (request.socket.localPort !== port) return;
    seen.calls += 1;
    seen.open += 1;
    response.on('close', () => {
      seen.open -= 1;
      if (!response.writableFinished) seen.abandoned += 1;
    });
  };
  subscribe('http.server.request.start', onRequest);
  return Object.assign(seen, { stop: () => unsubscribe('http.server.request.start', onRequest) });
}
