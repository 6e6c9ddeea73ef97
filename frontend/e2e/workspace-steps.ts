import type { Page } from 'playwright-core';
import { newEmail } from '../../backend/test/new-user.ts';
import { button } from './steps.ts';

/** The name of the workspace with which conversations are shared. */
export const WORKSPACE = 'Owls of the night';

/** Creates a workspace on its page. */
export async function createWorkspace(page: Page, name: string): Promise<void> {
  await page.getByLabel('Name').fill(name);
  await button(page, 'Create workspace').click();
}

/** Invites a new address on the page of a workspace. @returns the address */
export async function invite(page: Page): Promise<string> {
  const email = newEmail();
  await page.getByLabel('Email address').fill(email);
  await button(page, 'Invite').click();
  return email;
}

/** Gives the whole workspace a role by the dialog in the header. */
export async function share(page: Page, role: string, said = 'Shared'): Promise<void> {
  await button(page, 'Share this conversation').click();
  const access = page.getByRole('combobox', { name: `Access of Everybody in ${WORKSPACE}` });
  await access.selectOption(role);
  await button(page, 'Save').click();
  // The list and the header say it too.
  const notices = page.getByRole('region', { name: /Notifications/ });
  await notices.getByText(said, { exact: true }).first().waitFor();
}
