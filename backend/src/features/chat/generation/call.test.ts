import { expect, it } from 'vitest';
import type { MessageMetadata } from '../../../contract/messages.ts';
import { type CallEnd, sumMetadata, sumUsage } from './call.ts';

const used = (promptTokens: number, completionTokens: number, more = {}): CallEnd => ({
  failure: undefined,
  usage: async () => ({ promptTokens, completionTokens, ...more }),
});
const given = (metadata: Partial<MessageMetadata>): CallEnd => ({
  failure: undefined,
  given: { messages: [], metadata: async () => metadata },
});

it('the calls of an attempt are one charge; one that was left out adds nothing', async () => {
  const details = { cachedTokens: 4, reasoningTokens: 2, model: 'owl' };
  const ends = [used(10, 5, details), { failure: undefined }, used(20, 7)];
  expect(await sumUsage(ends)).toEqual({ ...details, promptTokens: 30, completionTokens: 12 });
  expect(await sumUsage([])).toEqual({ promptTokens: 0, completionTokens: 0 });
});

it('the files and memories of a reply come from all of its calls', async () => {
  const file = (fileId: string) => ({ fileId, name: fileId, given: 'whole' as const });
  const memory = (id: string) => ({ id, version: 1, why: 'match' as const });
  const receipt = (...ids: string[]) => ({
    memoryReceipt: { mode: 'on' as const, read: ids.map(memory), written: [], refused: [] },
  });
  const sum = await sumMetadata([
    given({ filesReceipt: [file('a'), file('b')], ...receipt('m') }),
    given({ filesReceipt: [file('b'), file('c')], ...receipt('m', 'n') }),
    given({}),
  ]);
  expect(sum.filesReceipt?.map(({ fileId }) => fileId)).toEqual(['a', 'b', 'c']);
  expect(sum.memoryReceipt?.read.map(({ id }) => id)).toEqual(['m', 'n']);
});

it('names every model that wrote a part of a panel once, and one that was missing', async () => {
  const part = (model: string, missing = {}): CallEnd => ({
    failure: undefined,
    usage: async () => ({ promptTokens: 1, completionTokens: 1, model }),
    depthReceipt: {
      requested: 'fast',
      applied: 'fast',
      model,
      ...missing,
      parameter: null,
      reasoningTokens: null,
      firstTokenMs: 1,
      totalMs: 2,
    },
  });
  const ends = [part('owl-1'), part('plain', { requestedModel: 'gone' }), part('owl-1')];
  expect(await sumUsage(ends)).toMatchObject({ model: 'owl-1, plain' });
  const { depthReceipt } = await sumMetadata(ends);
  expect(depthReceipt).toMatchObject({ model: 'owl-1, plain', requestedModel: 'gone' });
});
