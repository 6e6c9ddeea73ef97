// The first minutes of a new user: the demo, a sample file, a citation, a diagram, memory, and the way to a plan.
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { newEmail } from '../../backend/test/new-user.ts';
import de from '../src/i18n/de.json' with { type: 'json' };
import en from '../src/i18n/en.json' with { type: 'json' };
import { sharedProduct } from './open-product.ts';
import { PHONE, Visitor, WIDE } from './product.ts';
import { shot } from './shot.ts';
import { completes, lastReply, textOf } from './steps.ts';

const { url, arrive } = await sharedProduct();

async function startDemo(options: Parameters<typeof Visitor.arrive>[2] = {}) {
  const visitor = await arrive(options);
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
    await completes(page);
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
  ['Explain Kepler’s third law', 'The square of a planet’s year'],
  ['Remember that I prefer short answers', 'What is remembered'],
])('answers the prompt %s', async (prompt, answer) => {
  const { page } = await startDemo();
  await page.getByRole('button', { name: prompt }).click();
  await sendStarter(page, prompt);
  await completes(page);
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
  await completes(page);
  const heads = lastReply(page).getByRole('heading', { level: 3 });
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

const wordsOf = ({ app, artifacts, auth, chat, claims, forms, plans }: typeof en) => ({
  report: chat.starterReport,
  check: claims.check,
  page: chat.starterPage,
  open: artifacts.open,
  artifact: artifacts.artifact,
  plans: chat.choosePlan,
  starter: plans.choose.replace('{plan}', 'Starter'),
  step: auth.planStep.replace('{plan}', 'Starter'),
  email: forms.email,
  password: forms.password,
  register: app.createAccount,
  start: chat.startConversation,
  sidebar: chat.openSidebar,
});

it.each([
  ['in a wide English window', 'en-US', WIDE.viewport, wordsOf(en), '895,000'],
  ['in a narrow German window', 'de-DE', PHONE.viewport, wordsOf(de), '895.000'],
])(
  'comes from the landing page to a paid plan and loses nothing, %s',
  async (_, locale, viewport, words, mistake) => {
    const { page, visitor } = await startDemo({ locale, viewport, reducedMotion: 'reduce' });
    const button = (name: string) => page.getByRole('button', { name, exact: true });

    // The reply on a sample file: a citation opens the page, and the check finds the mistake.
    await page.getByRole('button', { name: words.report }).click();
    await sendStarter(page, words.report);
    await completes(page);
    const reply = lastReply(page);
    await reply.locator('[data-source]').first().click();
    await page.locator('mark').first().waitFor();
    await page.keyboard.press('Escape');
    await page.locator('mark').first().waitFor({ state: 'detached' });
    await reply.getByRole('button', { name: words.check }).click();
    const wrong = reply.locator('.claim-contradicted');
    await expect.poll(() => wrong.textContent()).toContain(mistake);
    await shot(page, 'newcomer-check');

    // An artifact.
    await page.goto(url);
    await page.getByRole('button', { name: words.page }).click();
    await sendStarter(page, words.page);
    await completes(page);
    const panel = page.getByLabel(words.artifact, { exact: true });
    const open = lastReply(page).getByRole('button', { name: words.open }).last();
    await panel.or(open).first().waitFor();
    if (!(await panel.isVisible())) await open.click();
    await panel.waitFor();
    await shot(page, 'newcomer-artifact');
    // It opened by itself, so it did not take the focus.
    await panel.focus();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });

    // Registration for the plan that was chosen, and its payment.
    await page.getByRole('link', { name: words.plans }).click();
    await button(words.starter).click();
    await page.getByText(words.step).waitFor();
    await page.getByLabel(words.email).fill(newEmail());
    await page.getByLabel(words.password, { exact: true }).fill('a long enough password');
    await shot(page, 'newcomer-register');
    await button(words.register).click();
    await button(words.starter).click();
    await button('Pay').click();
    await page.getByRole('button', { name: words.start }).waitFor();

    // The guest's messages are there, with the marks of the check.
    if (viewport.width < 768) await button(words.sidebar).click();
    const conversations = page.getByRole('navigation').locator('[data-list] li');
    await expect.poll(() => conversations.count()).toBe(2);
    await conversations
      .filter({ hasText: words.report.slice(0, 20) })
      .getByRole('link')
      .click();
    await expect.poll(() => wrong.textContent()).toContain(mistake);
    await shot(page, 'newcomer-kept');
    expect(visitor.errors).toEqual([]);
  },
);
