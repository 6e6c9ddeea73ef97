import german from 'catalogue:de';
import english from 'catalogue:en';
import type { User } from '@stolas/backend/contract';
import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { beforeEach, expect, it, vi } from 'vitest';
import { navigate } from 'wouter/use-browser-location';
import { PLANS_ON_SALE, testOverview } from '../features/billing/billing.fixture.tsx';
import { inGerman } from '../i18n/german.fixture.ts';
import type { Translation } from '../i18n/translate.ts';
import { setAuthToken } from '../lib/auth-token.ts';
import { queryClient } from '../lib/query-client.ts';
import { fakeServer } from '../lib/server.fixture.ts';
import { testUser } from '../lib/user.fixture.ts';
import { Routes } from './routes.tsx';

inGerman();

const textsOf = (sections: unknown) =>
  Object.values(sections as Translation).flatMap((texts) => Object.values(texts));
const translated = new Set(textsOf(german));
/** Texts of an English page only. */
const ENGLISH = new Set(
  [...textsOf(english), ...Object.keys((german as unknown as Translation).server ?? {})].filter(
    (text) => !translated.has(text),
  ),
);

/** Every text that a user sees or hears. */
function shown(): string[] {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const texts: string[] = [];
  while (walker.nextNode()) texts.push(walker.currentNode.textContent ?? '');
  for (const name of ['aria-label', 'title', 'placeholder'])
    for (const element of document.querySelectorAll(`[${name}]`))
      texts.push(element.getAttribute(name) ?? '');
  return [document.title, ...texts].map((text) => text.trim());
}

const leftInEnglish = () => shown().filter((text) => ENGLISH.has(text));

function open(path: string, user: User | null = null) {
  if (user) setAuthToken('one');
  fakeServer({
    'GET /api/auth/user': { body: user },
    'GET /api/plans': { body: PLANS_ON_SALE },
    'GET /api/billing': { body: testOverview({ isTest: true }) },
  });
  navigate(path);
  render(
    <QueryClientProvider client={queryClient}>
      <Routes />
    </QueryClientProvider>,
  );
}

beforeEach(() => {
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      observe() {}
      disconnect() {}
    },
  );
});

it('knows a text in English by the catalogue', () => {
  render(<p title="Sign in to go on.">Return to Chat</p>);
  expect(leftInEnglish()).toEqual(['Return to Chat', 'Sign in to go on.']);
});

it.each([
  ['/', 'Zwei Tarife'],
  ['/login', 'STOLAS'],
  ['/reset-password', 'Passwort vergessen?'],
  ['/reset-password#token=x', 'Neues Passwort wählen'],
  ['/verify-email', 'Deine E-Mail-Adresse'],
  ['/subscription', 'Wähle deinen Tarif'],
  ['/nowhere', '404 – Seite nicht gefunden'],
])('%s is German', async (path, heading) => {
  open(path);
  await screen.findByRole('heading', { name: heading });
  expect(leftInEnglish()).toEqual([]);
});

it('the registration form is German', async () => {
  open('/login');
  await userEvent.click(await screen.findByRole('button', { name: /Registrieren/ }));
  expect(screen.getByRole('button', { name: 'Passwort anzeigen' })).toBeTruthy();
  expect(screen.getByText('Mindestens 8 Zeichen.')).toBeTruthy();
  expect(leftInEnglish()).toEqual([]);
});

it('plans and prices of a user are German', async () => {
  open('/subscription', testUser());
  expect(await screen.findByText('Testzahlungen: Es fließt kein Geld')).toBeTruthy();
  await userEvent.click(screen.getByRole('radio', { name: /Jährlich/ }));
  expect(screen.getByText('278,40 $')).toBeTruthy();
  expect(screen.getByText('3.000.000 Tokens pro Monat')).toBeTruthy();
  expect(leftInEnglish()).toEqual([]);
});
