import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { LLMock } from '@copilotkit/aimock';
import { createDemoModel } from '../../embedded/model/server.ts';
import { describeProvider, type Rig } from './conformance.fixture.ts';
import { createOpenAiProvider } from './openai.ts';

const LONGER_THAN_ANY_TEST_MS = 60_000;
const ANSWER = 'An answer that is long enough for some pieces. '.repeat(8);

function rigOn(port: number, close: () => Promise<void>): Rig {
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  return {
    port,
    provider: (tuning) =>
      createOpenAiProvider({ baseUrl, apiKey: 'test-key', model: 'test-model', ...tuning }),
    close,
  };
}

describeProvider('the OpenAI adapter on a fake of the OpenAI API', {
  prompts: {
    answers: 'answer me',
    answersForLong: 'answer slowly',
    tooManyRequests: 'too many',
    serverError: 'server error',
    hangs: 'hang',
    stalls: 'stall',
    cut: 'cut',
    refuses: 'refuse',
    tooLong: 'too long',
    badKey: 'bad key',
  },
  async start() {
    const mock = new LLMock({ port: 0 });
    const silentAfter = (pieces: number) => ({
      ttftMs: pieces === 0 ? LONGER_THAN_ANY_TEST_MS : 0,
      interChunkDelaysMs: [
        ...Array<number>(Math.max(0, pieces - 1)).fill(0),
        LONGER_THAN_ANY_TEST_MS,
      ],
      totalDurationMs: LONGER_THAN_ANY_TEST_MS,
    });
    mock
      .onMessage('answer me', { content: ANSWER })
      .onMessage('answer slowly', { content: ANSWER.repeat(50) }, { streamingProfile: { tps: 50 } })
      .onMessage('too many', { error: { message: 'Slow down' }, status: 429, retryAfter: 1 })
      .onMessage('server error', { error: { message: 'Oh no' }, status: 500 })
      .onMessage('hang', { content: ANSWER }, { recordedTimings: silentAfter(0) })
      .onMessage('stall', { content: ANSWER }, { recordedTimings: silentAfter(4) })
      .onMessage(
        'cut',
        { content: ANSWER },
        { truncateAfterChunks: 4, streamingProfile: { tps: 20 } },
      )
      .onMessage('refuse', { content: ANSWER, finishReason: 'content_filter' })
      .onMessage('too long', {
        error: {
          message: "This model's maximum context length is 8192 tokens.",
          code: 'context_length_exceeded',
        },
        status: 400,
      })
      .onMessage('bad key', { error: { message: 'Incorrect API key' }, status: 401 });
    await mock.start();
    return rigOn(mock.port, () => mock.stop());
  },
});

describeProvider('the OpenAI adapter on the demo model', {
  prompts: {
    answers: '/code',
    answersForLong: '/long 100',
    tooManyRequests: '/fail 429',
    serverError: '/fail 500',
    hangs: '/fail hang',
    stalls: '/fail stall',
    cut: '/fail cut',
    endsEarly: '/fail end',
    malformed: '/fail json',
    refuses: '/fail refuse',
    tooLong: '/fail context',
    badKey: '/fail 401',
  },
  async start() {
    const server = createDemoModel({ apiKey: 'test-key' }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return rigOn((server.address() as AddressInfo).port, async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    });
  },
});
