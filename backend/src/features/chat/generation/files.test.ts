import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type Changes, startGeneration } from '../../../../test/generation.ts';
import { type ChatProvider, countTokens, type PromptMessage } from '../../../llm/index.ts';
import type { FilesContext, FilesInput } from '../../context.ts';
import { ownPayer } from '../../payer.ts';

let rig: Awaited<ReturnType<typeof startGeneration>>;
beforeAll(async () => {
  rig = await startGeneration();
});

const FILE = 'a'.repeat(24);
const TEXT = 'The rent is 900 euros.';
const RECEIPT = [{ fileId: FILE, name: 'lease.pdf', given: 'whole' as const }];
const LINK = `[1](#source=${FILE},1,0,22)`;

const CONTEXT: FilesContext = {
  text: 'These are the files.',
  images: [{ name: 'owl.png', type: 'image/png', bytes: Buffer.from('picture') }],
  passages: [
    { id: 'p1', fileId: FILE, fileName: 'lease.pdf', page: 1, start: 0, end: 22, text: TEXT },
  ],
  receipt: RECEIPT,
};

/** A provider that sends these chunks, then fails with `failure`. */
function providerOf(pieces: string[], failure?: Error) {
  const prompts: PromptMessage[][] = [];
  const provider: ChatProvider = {
    model: 'test',
    stream: async function* ({ messages }) {
      prompts.push(messages);
      for (const text of pieces) yield { type: 'delta', part: 'text', text };
      if (failure) throw failure;
    },
  };
  return { provider, prompts };
}

type ContextOf = (input: FilesInput) => Promise<FilesContext>;

/** Runs a reply to a message with a file. */
async function answer(
  pieces: string[],
  {
    fields = {},
    failure,
    contextOf = async () => CONTEXT,
    ...deps
  }: { fields?: object; failure?: Error; contextOf?: ContextOf } & Changes = {},
) {
  const reply = await rig.insert(fields, 'How much is the rent?');
  await rig.model.updateOne(
    { _id: reply.parentId },
    { $set: { metadata: { files: [{ id: FILE, name: 'lease.pdf' }] } } },
  );
  const { provider, prompts } = providerOf(pieces, failure);
  const asked = vi.fn<ContextOf>(contextOf);
  const runner = rig.runner({ provider, files: { contextOf: asked }, ...deps });
  const running = runner.run({ replyId: reply.id, conversationId: reply.conversationId });
  return { reply, runner, running, asked, prompts };
}

describe('a reply to a message with files', () => {
  it('gets the text of the files, and stores citations and a receipt', async () => {
    const { reply, running, asked, prompts } = await answer(['It is 900 euros [', 'p1].']);
    await running;
    expect(asked).toHaveBeenCalledOnce();
    expect(asked.mock.calls[0]?.[0]).toMatchObject({
      ownerId: reply.ownerId,
      conversationId: reply.conversationId,
      replyId: reply.id,
      path: [{ id: reply.parentId, fileIds: [FILE] }],
    });
    const [system, question] = prompts[0] ?? [];
    expect(system?.content).toMatch(/\n\nThese are the files\.$/);
    expect(question).toMatchObject({ role: 'user', images: CONTEXT.images });
    expect(await rig.stored(reply.id)).toMatchObject({
      status: 'complete',
      content: `It is 900 euros ${LINK}.`,
      metadata: { filesReceipt: RECEIPT },
    });
  });

  it.each([
    ['fast', 1 / 4, undefined],
    ['balanced', 1 / 2, { attempt: 1 }],
    ['deep', 3 / 4, { attempt: 1 }],
  ] as const)(
    'of depth %s gets %d of the prompt, and the question in other words unless it is fast',
    async (depth, share, rephrasing) => {
      const jsonModel = { model: 'small', answer: () => Promise.reject(new Error('unused')) };
      const { reply, running, asked } = await answer(['Yes.'], {
        fields: { settings: { depth } },
        jsonModel,
      });
      await running;
      const [input] = asked.mock.calls[0] ?? [];
      expect(input?.share).toBe(share);
      expect(input?.rephrasing).toEqual(
        rephrasing && { ...rephrasing, jsonModel, payer: ownPayer(reply.ownerId) },
      );
    },
  );

  it('reads no files when its path has none', async () => {
    const reply = await rig.insert();
    const contextOf = vi.fn<ContextOf>();
    const { provider } = providerOf(['It is [p1].']);
    const runner = rig.runner({ provider, files: { contextOf } });
    await runner.run({ replyId: reply.id, conversationId: reply.conversationId });
    expect(contextOf).not.toHaveBeenCalled();
    expect((await rig.stored(reply.id)).content).toBe('It is [p1].');
  });

  it('keeps no withheld text when it ends early', async () => {
    const { reply, running } = await answer(['It is “900 eu'], { failure: new Error('broken') });
    await running;
    expect(await rig.stored(reply.id)).toMatchObject({ status: 'failed', content: 'It is ' });
  });

  it('shows withheld text when it is complete', async () => {
    const { reply, running } = await answer(['It is “900 eu']);
    await running;
    expect(await rig.stored(reply.id)).toMatchObject({
      status: 'complete',
      content: 'It is “900 eu',
    });
  });

  it("charges the provider's text, not the added citations", async () => {
    const { reply, running } = await answer(['It', ' is', ' 900', ' euros', ' [p1]']);
    await running;
    const [settled] = rig.recorded.of(reply.id);
    expect(settled?.completionTokens).toBe(await countTokens('It is 900 euros [p1]'));
  });

  it('continues with markers in place of its citations', async () => {
    const kept = `It is 900 euros ${LINK} `;
    const fields = { content: kept, keptLength: kept.length, attempt: 1 };
    const { reply, running, prompts } = await answer(['and [p1].'], { fields });
    await running;
    expect(prompts[0]?.at(-2)).toEqual({ role: 'assistant', content: 'It is 900 euros [p1] ' });
    expect((await rig.stored(reply.id)).content).toBe(`${kept}and ${LINK}.`);
  });

  it('reserves for the files when an earlier attempt was lost', async () => {
    const text = 'word '.repeat(300);
    const contextOf = async () => ({ ...CONTEXT, images: [], text });
    const { reply, running } = await answer(['Yes.'], { fields: { reserved: null }, contextOf });
    await running;
    const [reserved] = rig.recorded.of(reply.id);
    expect(reserved).toMatchObject({ call: 'reserve' });
    expect(reserved?.promptTokens).toBeGreaterThan(300);
  });

  it.each([
    ['before it is reserved', { reserved: null }],
    ['before it is sent', {}],
  ])('can be stopped while its files are read, %s', async (_, fields) => {
    const contextOf: ContextOf = ({ signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error));
      });
    const { reply, runner, running, asked, prompts } = await answer(['Yes.'], {
      fields,
      contextOf,
    });
    await expect.poll(() => asked).toHaveBeenCalled();
    await runner.stop(reply.id);
    await running;
    expect((await rig.stored(reply.id)).status).toBe('stopped');
    expect(prompts).toEqual([]);
  });

  it('writes its heartbeat while its files are read before it is reserved', async () => {
    let go = (_context: FilesContext) => {};
    const contextOf: ContextOf = () =>
      new Promise((resolve) => {
        go = resolve;
      });
    const { reply, running } = await answer(['Yes.'], { fields: { reserved: null }, contextOf });
    const heartbeat = async () => (await rig.stored(reply.id)).heartbeatAt?.getTime() ?? 0;
    await expect.poll(async () => (await rig.stored(reply.id)).status).toBe('streaming');
    const first = await heartbeat();
    await expect.poll(heartbeat).toBeGreaterThan(first);
    go(CONTEXT);
    await running;
    expect((await rig.stored(reply.id)).status).toBe('complete');
  });
});
