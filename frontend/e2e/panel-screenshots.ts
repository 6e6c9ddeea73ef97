// Screenshots of artifacts and formulas, of replies as a panel, of trials, and of used-up quotas.
import type { Page } from 'playwright-core';
import { ask, begin, lastReply, type Options, pretend } from './picture-steps.ts';

const fence = (language: string, code: string) => `\`\`\`${language}\n${code}\n\`\`\``;

const clock = (time: string) =>
  fence(
    'html',
    `<title>Clock of the observatory</title>
<style>
  body { display: grid; place-items: center; height: 100vh; margin: 0; background: #10182c; color: #f4e8c0; font: 64px system-ui }
</style>
<p>${time}</p>`,
  );

const NOTEBOOK = `# A clock for the observatory

## You

Draw a clock, please.

## Assistant

Here it is:

${clock('21:04')}

## You

Make it a quarter of an hour later.

## Assistant

Since $t' = t + \\Delta t$ with $\\Delta t = 15\\,\\mathrm{min}$:

$$
t' = \\frac{1264 + 15}{60}\\,\\mathrm{h}
$$

${fence('mermaid', 'flowchart LR\n  A[Dusk] --> B{Clear sky?}\n  B -->|yes| C[Observe]\n  B -->|no| D[Sleep]')}

${clock('21:19')}
`;

/** @param page of a subscriber */
export async function artifacts(page: Page, { url, shot }: Options) {
  await page.goto(`${url}/settings`);
  const name = 'clock.md';
  const buffer = Buffer.from(NOTEBOOK);
  await page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/markdown', buffer });
  await page.getByText('Make it a quarter').waitFor();
  const diagram = page.frameLocator('iframe[src*=diagram]').locator('svg').first();
  await diagram.waitFor();
  await lastReply(page).locator('.katex').first().scrollIntoViewIfNeeded();
  await shot(page, 'formulas');
  await page.getByRole('button', { name: 'Open', exact: true }).last().click();
  const panel = page.getByLabel('Artifact');
  const still = page.frameLocator('iframe[src*=artifact]').frameLocator('iframe');
  await still.getByText('21:19').waitFor();
  await shot(page, 'artifact');
  await page.getByRole('button', { name: 'Earlier version' }).click();
  await still.getByText('21:04').waitFor();
  await page.getByRole('tab', { name: 'Code' }).click();
  await panel.getByText('display: grid').first().waitFor();
  await shot(page, 'artifact-code');
}

/** @param page of a subscriber */
export async function panels(page: Page, options: Options) {
  const { url, shot } = options;
  await page.goto(`${url}/personas?fuse`);
  await page.getByLabel('Persona A').selectOption('Editor');
  await page.getByLabel('Persona B').selectOption('Tutor');
  await page.getByLabel('Name of the fusion').fill('Two voices');
  await page.getByText('“Two voices”').waitFor();
  await page.getByRole('button', { name: 'Try it' }).click();
  await page.getByRole('textbox', { name: 'Message' }).fill('Why do owls fly silently?');
  await page.getByText(/^Reserves /).waitFor();
  await shot(page, 'trial-cost');
  await page.getByRole('button', { name: 'Send to all 3' }).click();
  for (const column of ['A: Editor', 'B: Tutor', 'Two voices'])
    await page
      .getByRole('region', { name: column, exact: true })
      .locator('[data-status=complete]')
      .waitFor();
  await shot(page, 'trial');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Save as a persona' }).click();
  await page.getByRole('button', { name: 'Chat as Two voices' }).click();
  await page.getByRole('button', { name: 'Persona: Two voices' }).click();
  await page.getByRole('radio', { name: 'Answer as a panel' }).check();
  await page.getByRole('checkbox', { name: 'Close with a synthesis' }).check();
  await shot(page, 'panel-choice');
  await page.keyboard.press('Escape');
  await ask(page, 'Why do owls fly silently?');
  await lastReply(page).getByRole('heading', { level: 4 }).first().scrollIntoViewIfNeeded();
  await shot(page, 'panel-reply');
}

const LIMIT = 200_000;
const resetsAt = new Date(Date.now() + 8 * 86_400_000).toISOString();
const soon = new Date(Date.now() + 4 * 3_600_000).toISOString();
const usage = (used: number) => ({ used, reserved: 0, limit: LIMIT, resetsAt });
const starter = { subscriptionStatus: 'active', subscriptionPlan: 'starter' } as const;

/** @param page of a guest */
export async function quotas(page: Page, options: Options) {
  const { url, shot } = options;
  await begin(page, options);
  await ask(page, 'What do owls eat?');
  const conversation = page.url();
  const states = {
    'quota-demo': {
      demo: { messagesLeft: 0, messageLimit: 20, tokensLeft: 120, tokenLimit: 20_000 },
    },
    'quota-meter': { ...starter, usage: usage(174_000) },
    'quota-plan': { ...starter, usage: usage(LIMIT) },
    'quota-cap': {
      ...starter,
      usage: { ...usage(90_000), cap: { used: 5_000, limit: 5_000, resetsAt: soon } },
    },
  };
  for (const [name, fields] of Object.entries(states)) {
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await pretend(page, fields);
    await page.goto(conversation);
    await lastReply(page).waitFor();
    await shot(page, name);
  }
  await page.goto(`${url}/settings#usage`);
  await page.getByRole('heading', { name: 'Usage' }).waitFor();
  await shot(page, 'settings-usage');
  await page.unrouteAll({ behavior: 'ignoreErrors' });
}
