// A self-hosted installation: PLANS=off and a model on this machine, by `npm start` alone.
import { expect, it } from 'vitest';
import { startEchoProvider } from './echo-provider.ts';
import { ownProduct } from './open-product.ts';
import { fillRegistration, toRegistration } from './product.ts';
import { shot } from './shot.ts';
import { ask, lastReply, pathOf, send, statusOf, textOf } from './steps.ts';

const provider = await startEchoProvider();
const { url, arrive, home, product } = await ownProduct({
  ...provider.settings,
  OPENAI_MODEL: 'llama3.2',
  PLANS: 'off',
});
const model = `llama3.2 at ${provider.settings.OPENAI_BASE_URL}`;

it('says at its start whether the model answers', () => {
  const lines = product.output().split('\n');
  // A start does not wait longer for it, and a busy machine may take longer.
  const [answers, late] = [`✓ ${model} answers (`, `${model}: no answer after 4 s`];
  expect(lines.filter((it) => it.startsWith(answers) || it.includes(late))).toHaveLength(1);
});

it('answers a guest without a plan, a banner or a limit', async () => {
  const { page } = await home();
  await ask(page, 'Hello from a guest');
  expect(await page.getByText('Demo mode').count()).toBe(0);
  const plans = await page.goto(new URL('/subscription', url).href);
  expect(plans?.ok()).toBe(true);
  await expect.poll(() => pathOf(page)).toBe('/');
});

it('takes a new user to the chat, and shows the mailed link', async () => {
  const user = await arrive();
  const landing = await user.open();
  await landing.getByText('Perfect For').waitFor();
  expect(await landing.getByText('MOST POPULAR').count()).toBe(0);
  const page = await user.open('/login');
  await toRegistration(page);
  await fillRegistration(page, 'ada@example.com');
  await page.getByText('Start New Conversation').waitFor();
  await ask(page, 'Hello from Ada');
  expect(await textOf(page)).toContain('Hello from Ada');
  expect(await page.getByText(/Upgrade|Pro Plan|No Active Plan/).count()).toBe(0);
  await shot(page, 'self-hosted-chat');

  await page.goto(new URL('/privacy', url).href);
  await page.getByRole('heading', { name: 'Email' }).waitFor();
  expect(await page.getByText(/Payments|Plans/).count()).toBe(0);

  await page.goto(new URL('/settings', url).href);
  await page.getByRole('link', { name: 'Open the Link' }).waitFor();
  expect(await page.getByRole('link', { name: 'Billing' }).count()).toBe(0);
  await page.getByText('tokens this month, without a limit').waitFor();
  await shot(page, 'self-hosted-settings');
  await page.getByRole('link', { name: 'Open the Link' }).click();
  await page.getByRole('button', { name: 'Confirm Email Address' }).click();
  await page.getByText('confirmed').waitFor();
});

it('names the cause and what to do once the model is gone', async () => {
  const { page } = await home();
  await ask(page, 'Before');
  provider.stop();
  await send(page, 'After');
  await expect.poll(() => statusOf(page)).toBe('failed');
  await lastReply(page)
    .getByText(`${model}: connection refused; start the server there, or check OPENAI_BASE_URL`)
    .waitFor();
  await shot(page, 'self-hosted-refused');
});
