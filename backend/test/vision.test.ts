// Images in messages, with a model that has vision and with one without, in real processes.

import { randomUUID } from 'node:crypto';
import sharp from 'sharp';
import { beforeAll, expect, it } from 'vitest';
import type { Reply, SentMessage } from '../src/contract/messages.ts';
import { startProcess } from './processes.ts';
import { type Stack, startStack } from './stack.ts';

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({ OPENAI_VISION: 'true' });
  stack.provider.onMessage(/.*/, { content: 'It is red all over.' });
});

/** A reply to a question about a picture, and the messages at the provider. */
async function askAbout(name: string, question: string) {
  const ada = await stack.guest();
  const red = { width: 40, height: 30, channels: 3 as const, background: '#ff0000' };
  const picture = await sharp({ create: red }).png().toBuffer();
  const { id } = await ada.upload(name, picture);
  const conversation = await ada.conversation();
  const body = { content: question, files: [{ id }], clientMessageId: randomUUID() };
  await ada.post<SentMessage>(`/conversations/${conversation}/messages`, body);
  const status = async () => (await ada.reply(conversation)).status;
  await expect.poll(status).toBe('complete');
  const reply: Reply = await ada.reply(conversation);
  const prompt = JSON.stringify(stack.provider.getRequests().at(-1)?.body);
  return { reply, prompt, id };
}

it('a model with vision gets the image as a part of the message, and the reply is about it', async () => {
  const { reply, prompt, id } = await askAbout('red.png', 'Which colour is it?');
  const { messages } = JSON.parse(prompt) as { messages: { content: Record<string, unknown>[] }[] };
  const [question, label, image] = messages.at(-1)?.content ?? [];
  expect(question).toEqual({ type: 'text', text: 'Which colour is it?' });
  expect(label).toEqual({ type: 'text', text: 'Image "red.png":' });
  const { url } = (image?.image_url ?? { url: '' }) as { url: string };
  expect(url).toMatch(/^data:image\/(png|jpeg);base64,/);
  const { dominant } = await sharp(Buffer.from(url.split(',')[1] ?? '', 'base64')).stats();
  expect(dominant.r).toBeGreaterThan(200);
  expect(dominant.g + dominant.b).toBeLessThan(60);
  expect(reply.content).toBe('It is red all over.');
  expect(reply.metadata?.filesReceipt).toEqual([{ fileId: id, name: 'red.png', given: 'image' }]);
});

it('a prompt without vision says so to the model, and the receipt says it', async () => {
  await stack.worker.kill('SIGTERM');
  const blind = await startProcess('worker', { env: { ...stack.env, OPENAI_VISION: 'false' } });
  const { reply, prompt, id } = await askAbout('red.png', 'Which colour is it?');
  expect(prompt).not.toContain('image_url');
  expect(prompt).toContain('The model is not shown this image');
  expect(reply.metadata?.filesReceipt).toEqual([
    {
      fileId: id,
      name: 'red.png',
      given: 'unread',
      reason: 'The model is not shown this image, and it contains no text that can be read.',
    },
  ]);
  await blind.kill('SIGTERM');
});
