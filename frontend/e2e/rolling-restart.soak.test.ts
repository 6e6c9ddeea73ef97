import { expect, it } from 'vitest';
import { rollingRestart } from './rolling-restart.ts';

it.skipIf(!process.env.HAPROXY_PATH)(
  'fault 32: every process replaced behind HAProxy under 100 replies of a minute',
  async () => {
    const found = await rollingRestart({ replies: 100, seconds: 60 });
    expect(found).toEqual({ failedPosts: [], tabErrors: [] });
  },
  1_800_000,
);
