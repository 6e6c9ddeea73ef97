import { CLAIMS, UNBUILT_CLAIMS } from '@stolas/backend/contract';
import { render, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { writeSetting } from '../../../lib/page-settings.fixture.ts';
import { FeaturesPage } from './features-page.tsx';

const parts = () => CLAIMS.flatMap((claim) => document.getElementById(claim) ?? []);
const idsOf = (elements: HTMLElement[]) => elements.map(({ id }) => id);
const isSoon = (part: HTMLElement) => within(part).queryByText('Coming soon') !== null;

it('marks what is not built, and leads to everything else', () => {
  render(<FeaturesPage />);
  expect(idsOf(parts())).toEqual([...CLAIMS]);
  expect(idsOf(parts().filter(isSoon))).toEqual([...UNBUILT_CLAIMS]);
  for (const part of parts()) {
    const links = within(part).queryAllByRole('link');
    expect([part.id, links.length > 0]).toEqual([part.id, !isSoon(part)]);
  }
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
