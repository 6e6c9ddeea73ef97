import { expect, it } from 'vitest';
import { rollingRestart } from './rolling-restart.ts';

it.skipIf(!process.env.HAPROXY_PATH)(
  'fault 32: every process replaced behind HAProxy: no answer of 5xx, no interrupted reply, no broken tab of the old build',
  async () => {
    const found = await rollingRestart({ replies: 20, seconds: 15 });
    expect(found).toEqual({ failedPosts: [], tabErrors: [] });
  },
);
