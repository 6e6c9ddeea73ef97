// The dialogs about people: with whom something is shared, who pays, who is a member.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type en from '../src/i18n/en.json';
import { expectFocus, press, tabTo } from './keyboard-steps.ts';
import { shot } from './shot.ts';
import { barriers, expectWhole } from './steps.ts';

type Texts = Pick<
  typeof en,
  | 'app'
  | 'chat'
  | 'conversationActions'
  | 'library'
  | 'offer'
  | 'personas'
  | 'settings'
  | 'share'
  | 'shares'
  | 'workspace'
>;

interface Dialog {
  picture: string;
  /** The page that has it. */
  path: string;
  /** The button that opens it, or a menu with its item. */
  opener: string;
  item?: string;
  /** A text of the dialog. */
  shows: string;
}

const named = (text: string, name: string) => text.replace('{name}', name);

/** The places and names of what the dialogs are about. */
interface Names {
  conversation: string;
  member: string;
  persona: string;
  file: string;
}

/** Those of the owner of a workspace and of shared things. */
export const ownerDialogs = (
  {
    app,
    chat,
    conversationActions,
    library,
    offer,
    personas,
    settings,
    share,
    shares,
    workspace,
  }: Texts,
  { conversation, member, persona, file }: Names,
): Dialog[] => {
  const ofConversation = { path: conversation, opener: chat.actionsHere };
  const ofMember = { path: '/workspace', opener: named(workspace.actionsFor, member) };
  return [
    { picture: 'share', path: conversation, opener: chat.shareHere, shows: share.about },
    {
      picture: 'pay-for-others',
      ...ofConversation,
      item: conversationActions.payForOthers,
      shows: offer.about,
    },
    {
      picture: 'public-link',
      ...ofConversation,
      item: conversationActions.publicLink,
      shows: shares.preview,
    },
    {
      picture: 'share-persona',
      path: '/personas',
      opener: named(personas.actionsFor, persona),
      item: personas.share,
      shows: share.aboutPersona,
    },
    {
      picture: 'share-file',
      path: '/files',
      opener: named(library.actions, file),
      item: library.shareItem,
      shows: share.aboutFile,
    },
    { picture: 'workspace-cap', ...ofMember, item: workspace.setCap, shows: workspace.capText },
    {
      picture: 'workspace-transfer',
      ...ofMember,
      item: workspace.transfer,
      shows: workspace.transferText,
    },
    { picture: 'workspace-remove', ...ofMember, item: app.remove, shows: workspace.heir },
    {
      picture: 'workspace-delete',
      path: '/workspace',
      opener: workspace.delete,
      shows: app.cancel,
    },
    {
      picture: 'revoke-links',
      path: '/settings#links',
      opener: shares.revokeAll,
      shows: shares.revokeNote,
    },
    {
      picture: 'delete-account',
      path: '/settings',
      opener: settings.deleteAccount,
      shows: settings.deleteText,
    },
  ];
};

/** Those of a member who shares something. */
export const memberDialogs = ({ settings, workspace }: Texts): Dialog[] => [
  {
    picture: 'workspace-leave',
    path: '/workspace',
    opener: workspace.leave,
    shows: workspace.heir,
  },
  {
    picture: 'delete-account-sharing',
    path: '/settings',
    opener: settings.deleteAccount,
    shows: settings.handOverHint,
  },
];

/**
 * Opens a dialog by keyboard, looks at it, and goes through its controls. Escape closes it and returns the focus to the
 * button.
 */
export async function checkDialog(
  page: Page,
  { picture, path, opener: name, item, shows }: Dialog,
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
  await shot(page, `${picture}-${language}`);
  expect(await barriers(page)).toEqual([]);
  await expectWhole(page, picture);
}
