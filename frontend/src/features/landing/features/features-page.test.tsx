import { CLAIMS } from '@stolas/backend/contract';
import { render, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { removeAuthToken, setAuthToken } from '../../../lib/auth-token.ts';
import { writeSetting } from '../../../lib/page-settings.fixture.ts';
import { FeaturesPage } from './features-page.tsx';

beforeEach(() => removeAuthToken());

const parts = () => CLAIMS.flatMap((claim) => document.getElementById(claim) ?? []);
const idsOf = (elements: HTMLElement[]) => elements.map(({ id }) => id);
const isSoon = (part: HTMLElement) => within(part).queryByText('Coming soon') !== null;

it('explains every claim, and leads to its place', () => {
  render(<FeaturesPage />);
  expect(idsOf(parts())).toEqual([...CLAIMS]);
  for (const part of parts()) {
    const links = within(part).queryAllByRole('link');
    expect([part.id, links.length > 0, isSoon(part)]).toEqual([part.id, true, false]);
  }
});

const pages = () =>
  within(within(document.body).getByRole('navigation', { name: 'Pages' }))
    .getAllByRole('link')
    .map((link) => `${link.textContent} ${link.getAttribute('href')}`);

it('leads visitors to the other pages and into the demo, and users back to the chat', () => {
  const { unmount } = render(<FeaturesPage />);
  const others = ['Features /features', 'Plans /subscription?change=true', 'Privacy /privacy'];
  expect(pages()).toEqual([...others, 'Sign In /login']);
  const demo = within(document.body).getAllByRole('link', { name: 'try it as a guest' });
  expect(demo[0]?.getAttribute('href')).toBe('/login?demo=true');
  unmount();
  setAuthToken('one');
  render(<FeaturesPage />);
  expect(pages()).toEqual([...others, 'Back to Chat /']);
  expect(within(document.body).queryByRole('link', { name: 'try it as a guest' })).toBeNull();
});

it('names no plans where there are none', () => {
  writeSetting('plans', 'off');
  render(<FeaturesPage />);
  expect(pages().join()).not.toContain('Plans');
});

it('shows what the operator claims, and nothing to try of what is to come', () => {
  writeSetting('landing-claims', 'files,memory:soon');
  render(<FeaturesPage />);
  expect(idsOf(parts())).toEqual(['files', 'memory']);
  const memory = within(parts()[1] as HTMLElement);
  expect(memory.getByText('This is not available yet.')).toBeTruthy();
  expect(memory.queryAllByRole('button')).toEqual([]);
  expect(memory.queryAllByRole('link')).toEqual([]);
});
