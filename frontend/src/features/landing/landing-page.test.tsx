import { act, render, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { writeSetting } from '../../lib/page-settings.fixture.ts';
import { Demo } from './demo/demo.tsx';
import { LandingPage } from './landing-page.tsx';

// Playing the recording renders often.

let enterView: () => void;

beforeEach(() => {
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      constructor(onChange: (entries: { isIntersecting: boolean }[]) => void) {
        enterView = () => act(() => onChange([{ isIntersecting: true }]));
      }
      observe() {}
      disconnect() {}
    },
  );
});
afterEach(() => {
  vi.useRealTimers();
});

const list = (name: string) =>
  within(screen.getByRole('list', { name }))
    .getAllByRole('listitem')
    .map((item) => item.textContent);

const claims = () =>
  within(screen.getByRole('region', { name: 'An assistant that shows its work' }))
    .getAllByRole('listitem')
    .map((item) => [
      within(item).getByRole('heading').textContent,
      within(item).queryByText('Coming soon') !== null,
    ]);

describe('what the operator says', () => {
  it('the landing page claims all eight', () => {
    render(<LandingPage />);
    expect(claims()).toEqual([
      ['File-to-answer', false],
      ['Privacy', false],
      ['Custom personas', false],
      ['Persona fusion', false],
      ['Truth layer', false],
      ['Speed/depth switch', false],
      ['Memory control', false],
      ['Team collaboration', false],
    ]);
  });

  it('shows badges claiming SOC 2, GDPR ready, 99.9% uptime and global CDN', () => {
    render(<LandingPage />);
    expect(list('Assurances')).toEqual(['SOC 2', 'GDPR ready', '99.9% uptime', 'Global CDN']);
  });

  it('shows only the badges and claims of the settings', () => {
    writeSetting('landing-badges', 'gdpr');
    writeSetting('landing-claims', 'team,files:soon');
    render(<LandingPage />);
    expect(list('Assurances')).toEqual(['GDPR ready']);
    expect(claims()).toEqual([
      ['Team collaboration', false],
      ['File-to-answer', true],
    ]);
  });

  it('lists under the prices only what the plans have', () => {
    writeSetting('plan-features', 'support,n8n:soon,cards,api:soon,priority,team');
    writeSetting('support', 'mailto:help@example.org');
    render(<LandingPage />);
    const listed = ['Starter', 'Pro'].map((name) =>
      within(screen.getByRole('region', { name }))
        .getAllByRole('listitem')
        .map((item) => item.textContent),
    );
    expect(listed).toEqual([
      [
        '200,000 tokens per month',
        'Unlimited conversations',
        '3 custom personas',
        'Basic file uploads (10MB)',
      ],
      [
        '3,000,000 tokens per month',
        'Everything in Starter',
        'Unlimited custom personas',
        'Large file uploads (100MB)',
      ],
    ]);
  });

  it('leads to the registration for the plan that is chosen', () => {
    render(<LandingPage />);
    const hrefs = ['Get Started', 'Go Pro'].map((name) =>
      screen.getByRole('link', { name }).getAttribute('href'),
    );
    expect(hrefs).toEqual(['/login?register=true&plan=starter', '/login?register=true&plan=pro']);
  });

  it('shows neither with none', () => {
    writeSetting('landing-badges', 'none');
    writeSetting('landing-claims', 'none');
    render(<LandingPage />);
    expect(screen.queryByRole('list', { name: 'Assurances' })).toBeNull();
    expect(screen.queryByText('File-to-answer')).toBeNull();
  });
});

describe('the recorded conversation', () => {
  const shown = () => {
    const figure = screen.getByRole('figure', { hidden: true }).cloneNode(true) as HTMLElement;
    for (const hidden of figure.querySelectorAll('figcaption, .invisible, .opacity-0'))
      hidden.remove();
    return figure.textContent ?? '';
  };
  const STEP_MS = 400;
  /** In steps: effects of one change begin with the next step. */
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      await act(() => vi.advanceTimersByTimeAsync(STEP_MS));
    }
  };

  it('types itself once it is in view, to its end', async () => {
    vi.useFakeTimers();
    render(<Demo />);
    await pass(1_200);
    expect(shown()).not.toContain('What');
    enterView();
    await act(() => vi.advanceTimersByTimeAsync(30 * 4));
    expect(shown()).toContain('What');
    expect(shown()).not.toContain('What changed');
    await pass(8_000);
    expect(shown()).toContain('What changed between these two leases?');
    expect(shown()).toContain('three months earlier than before.');
    await pass(5_000);
    expect(screen.getByRole('button', { name: 'Play again' })).toBeTruthy();
  });

  it('opens the marked page by the number, then marks the claim that it contradicts', async () => {
    vi.useFakeTimers();
    render(<Demo />);
    enterView();
    const seen: string[] = [];
    for (let step = 0; step < 40; step += 1) {
      await pass(STEP_MS);
      for (const part of [
        'The deposit stays',
        'six months’ notice in writing',
        'Contradicted: page 9',
      ])
        if (shown().includes(part) && !seen.includes(part)) seen.push(part);
      if (shown().includes('Contradicted')) break;
      expect(document.querySelector('.decoration-wavy')).toBeNull();
    }
    expect(seen).toEqual([
      'The deposit stays',
      'six months’ notice in writing',
      'Contradicted: page 9',
    ]);
    expect(document.querySelector('.decoration-wavy')?.textContent).toBe(
      'The deposit stays at two months’ rent.',
    );
    expect(document.querySelector('mark')?.textContent).toContain('six months’ notice');
  });

  it('can be paused', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const user = userEvent.setup({ advanceTimers: vi.advanceTimersByTime });
    render(<Demo />);
    enterView();
    await pass(300);
    await user.click(screen.getByRole('button', { name: 'Pause' }));
    const before = shown().replace('Pause', '');
    await pass(8_000);
    expect(shown().replace('Play', '')).toBe(before.replace('Play', ''));
    await user.click(screen.getByRole('button', { name: 'Play' }));
    await pass(8_000);
    expect(shown()).toContain('three months earlier than before.');
  });

  it('is the finished picture from the start with reduced motion', () => {
    vi.stubGlobal('matchMedia', () => ({ matches: true }));
    render(<Demo />);
    expect(shown()).toContain('three months earlier than before.');
    expect(shown()).toContain('six months’ notice in writing');
    expect(shown()).toContain('Contradicted: page 9');
  });

  it('gives screen readers the finished text once, without the typing', () => {
    render(<Demo />);
    const figure = screen.getByRole('figure');
    expect(figure.textContent).toContain('three months earlier than before.');
    expect(screen.getByText(/A recorded conversation\. You ask about two files/)).toBeTruthy();
    expect(within(figure).queryByRole('table')).toBeNull();
  });
});
