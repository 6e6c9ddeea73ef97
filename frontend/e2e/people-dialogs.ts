// The dialogs about people: with whom something is shared, who pays, who is a member.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type en from '../src/i18n/en.json';
import { press, tabTo } from './keyboard-steps.ts';
import { checkScreen, expectFocus, expectWhole } from './steps.ts';

type Texts = typeof en;

/**
 * A dialog: its picture, the page that has it, the button that opens it, a text that it shows, and the item of the menu when the button
 * opens one.
 */
type Dialog = [picture: string, path: string, opener: string, shows: string, item?: string];

const named = (text: string, name: string) => text.replace('{name}', name);

/** The places and names of what the dialogs are about. */
interface Names {
  conversation: string;
  member: string;
  persona: string;
  file: string;
}

/** Those of the owner of a workspace and of shared things. */
export function ownerDialogs(texts: Texts, names: Names): Dialog[] {
  const { app, chat, conversationActions, library, offer, personas } = texts;
  const { settings, share, shares, workspace } = texts;
  const { conversation } = names;
  const here = chat.actionsHere;
  const member = named(workspace.actionsFor, names.member);
  const persona = named(personas.actionsFor, names.persona);
  const file = named(library.actions, names.file);
  return [
    ['share', conversation, chat.shareHere, share.about],
    ['pay-for-others', conversation, here, offer.about, conversationActions.payForOthers],
    ['public-link', conversation, here, shares.preview, conversationActions.publicLink],
    ['share-persona', '/personas', persona, share.aboutPersona, personas.share],
    ['share-file', '/files', file, share.aboutFile, library.shareItem],
    ['workspace-cap', '/workspace', member, workspace.capText, workspace.setCap],
    ['workspace-transfer', '/workspace', member, workspace.transferText, workspace.transfer],
    ['workspace-remove', '/workspace', member, workspace.heir, app.remove],
    ['workspace-delete', '/workspace', workspace.delete, app.cancel],
    ['revoke-links', '/settings#links', shares.revokeAll, shares.revokeNote],
    ['delete-account', '/settings', settings.deleteAccount, settings.deleteText],
  ];
}

/** Those of a member who shares something. */
export const memberDialogs = ({ settings, workspace }: Texts): Dialog[] => [
  ['workspace-leave', '/workspace', workspace.leave, workspace.heir],
  ['delete-account-sharing', '/settings', settings.deleteAccount, settings.handOverHint],
];

/**
 * Opens a dialog by keyboard, looks at it, and goes through its controls. Escape closes it and returns the focus to the
 * button.
 */
export async function checkDialog(
  page: Page,
  [picture, path, name, shows, item]: Dialog,
): Promise<void> {
  await goTo(page, path);
  const opener = page.getByRole('button', { name, exact: true });
  await opener.focus();
  await page.keyboard.press('Enter');
  if (item) await press(page.getByRole('menuitem', { name: item }), 'ArrowDown');
  const dialog = page.getByRole('dialog');
  await dialog.getByText(shows).first().waitFor();
  await look(page, picture);
  await tabTo(dialog.getByRole('button').last(), 'Tab');
  await page.keyboard.press('Tab');
  expect(await dialog.evaluate((it) => it.contains(document.activeElement))).toBe(true);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await expectFocus(opener);
}

/** Checks the accessibility and the layout of a page. */
export async function checkPage(page: Page, picture: string, path: string): Promise<void> {
  await goTo(page, path);
  await page.locator('h1').first().waitFor();
  await look(page, picture);
}

async function goTo(page: Page, path: string): Promise<void> {
  const address = new URL(path, page.url()).href;
  if (page.url() !== address) await page.goto(address);
}

async function look(page: Page, picture: string): Promise<void> {
  await page.waitForFunction(() => !document.querySelector('.animate-shimmer'));
  const language = await page.locator('html').getAttribute('lang');
  await checkScreen(page, `${picture}-${language}`);
  await expectWhole(page, picture);
}
