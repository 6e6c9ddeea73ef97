// The first minutes of somebody new: the demo, a sample file, a citation, a diagram, memory.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { sharedProduct } from './open-product.ts';
import { Visitor } from './product.ts';
import { shot } from './shot.ts';
import { lastReply, statusOf, textOf } from './steps.ts';

const { url, browser } = await sharedProduct();

async function startDemo(options: Parameters<typeof Visitor.arrive>[2] = {}) {
  const visitor = await Visitor.arrive(browser, url, options);
  const page = await visitor.open();
  const isGerman = options.locale === 'de-DE';
  await page.getByRole('link', { name: isGerman ? 'Live-Demo ansehen' : 'View Live Demo' }).click();
  return { visitor, page };
}

/** Sends the prompt once it is in the composer. */
async function sendStarter(page: Page, prompt: string) {
  const box = page.locator('textarea[data-composer]');
  await expect.poll(() => box.inputValue()).toContain(prompt);
  await box.press('Enter');
}

it.each([
  [
    'English',
    'en-US',
    'What changed between these two leases?',
    'The monthly rent is 2,650 dollars.',
  ],
  [
    'German',
    'de-DE',
    'Was hat sich zwischen diesen beiden Mietverträgen geändert?',
    'Die monatliche Miete beträgt 2.650 Euro.',
  ],
])(
  'compares two sample leases in %s, and a citation opens its file',
  async (_, locale, prompt, sentence) => {
    const { page, visitor } = await startDemo({ locale });
    await page.getByRole('button', { name: prompt }).waitFor();
    await shot(page, `home-${locale}`, { phone: true });
    await page.getByRole('button', { name: prompt }).click();
    await sendStarter(page, prompt);
    await expect.poll(() => statusOf(page)).toBe('complete');
    expect(await textOf(page)).toContain(sentence);
    await lastReply(page)
      .getByText(locale === 'de-DE' ? 'Demo-Antwort' : 'Demo answer')
      .waitFor();
    await shot(page, `leases-${locale}`, { phone: true });
    await lastReply(page).locator('[data-source]').first().click();
    await page.locator('mark').first().waitFor();
    await shot(page, `leases-source-${locale}`);
    expect(visitor.errors).toEqual([]);
  },
);

it.each([
  ['Draw the way from a question to a checked answer', 'The way as a diagram'],
  ['Explain Kepler’s third law', 'The square of a planet’s year'],
  ['Remember that I prefer short answers', 'What is remembered'],
])('answers the prompt %s', async (prompt, answer) => {
  const { page } = await startDemo();
  await page.getByRole('button', { name: prompt }).click();
  await sendStarter(page, prompt);
  await expect.poll(() => statusOf(page)).toBe('complete');
  expect(await textOf(page)).toContain(answer);
  await shot(page, `starter-${prompt.slice(0, 7).toLowerCase()}`);
});

it.each([
  ['en-US', /^Let an analyst and a critic discuss/, ['Renewing is cheaper', 'Both would renew']],
  [
    'de-DE',
    /^Lass Analyst und Kritiker diskutieren/,
    ['Verlängern ist günstiger', 'Beide würden verlängern'],
  ],
])('two personas discuss as a panel, in %s', async (locale, prompt, answers) => {
  const { page, visitor } = await startDemo({ locale });
  const german = locale === 'de-DE';
  await page.getByRole('button', { name: prompt }).click();
  await page
    .getByRole('button', {
      name: german ? 'Persona: Analyst und Kritiker' : 'Persona: Analyst and critic',
    })
    .waitFor();
  await sendStarter(page, german ? 'Lass Analyst' : 'Let an analyst');
  await expect.poll(() => statusOf(page)).toBe('complete');
  const heads = lastReply(page).getByRole('heading', { level: 4 });
  await expect
    .poll(() => heads.locator('bdi').allTextContents())
    .toEqual(['Analyst', german ? 'Kritiker' : 'Critic', german ? 'Synthese' : 'Synthesis']);
  for (const answer of answers) expect(await textOf(page)).toContain(answer);
  await shot(page, `starter-panel-${locale}`, { phone: true });
  await page.getByRole('link', { name: 'Personas', exact: true }).first().click();
  await page
    .getByText(german ? '70 % Analyst · 30 % Kritiker' : '70% Analyst · 30% Critic')
    .waitFor();
  await shot(page, `list-fusion-${locale}`);
  expect(visitor.errors).toEqual([]);
});

it('the check finds the mistake in the summary', async () => {
  const { page } = await startDemo();
  const prompt = 'Sum up the annual report with one mistake in it';
  await page.getByRole('button', { name: prompt }).click();
  await sendStarter(page, prompt);
  await expect.poll(() => statusOf(page)).toBe('complete');
  const reply = lastReply(page);
  await reply.hover();
  await reply.getByRole('button', { name: 'Check against sources' }).click();
  const wrong = reply.locator('.claim-contradicted');
  await expect.poll(() => wrong.textContent()).toContain('895,000');
  await shot(page, 'starter-check');
});
