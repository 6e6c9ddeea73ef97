import { act, render, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { usePrinting } from '../../../lib/printing.ts';
import { chooseTheme } from '../../../lib/theme.ts';
import type { SandboxedFrame } from '../../frame/sandboxed-frame.tsx';
import { Markdown } from '../markdown.tsx';

const PATIENCE_MS = 15_000;

type FrameProps = Parameters<typeof SandboxedFrame>[0];
const frame = vi.hoisted(() => ({ props: undefined as FrameProps | undefined }));
vi.mock('../../frame/sandboxed-frame.tsx', () => ({
  SandboxedFrame: (props: FrameProps) => {
    frame.props = props;
    return <div data-testid="frame" />;
  },
}));

vi.mock('../highlighter.ts', () => ({ nextBlock: () => 1, highlightLines: async () => [] }));

const drawn = (isDark: boolean, size = { width: 200, height: 100 }) =>
  act(() => {
    frame.props?.onAnswer?.({ type: 'drawn', ...size, textSize: 16, isDark });
  });

const pass = (ms: number) =>
  act(() => {
    vi.advanceTimersByTime(ms);
  });

const box = () => screen.getByTestId('frame').parentElement;

/** Whether the code is printed, which no screen shows. */
const printed = (code: RegExp) => {
  const box = screen.getByText(code).closest<HTMLElement>('.md-printed-code');
  return box?.hidden === false;
};

async function showDiagram(code: string): Promise<void> {
  render(<Markdown text={`\`\`\`mermaid\n${code}\n\`\`\``} />);
  await screen.findByTestId('frame');
}

beforeEach(() => {
  chooseTheme('dark');
});

afterEach(() => {
  vi.useRealTimers();
  usePrinting.setState({ isPrinting: false, isPrepared: false });
});

it('gives up a diagram that takes too long, and tries again', async () => {
  await showDiagram('flowchart LR\n  A --> B');
  vi.useFakeTimers();
  act(() => frame.props?.onLoad?.());
  pass(PATIENCE_MS);
  screen.getByText('It took too long.');
  expect(screen.queryByTestId('frame')).toBeNull();
  act(() => screen.getByRole('button', { name: 'Try again' }).click());
  drawn(true);
  expect(box()?.dataset.drawn).toBe('dark');
  expect(screen.queryByText('It took too long.')).toBeNull();
  expect(document.activeElement?.closest('figure')).not.toBeNull();
});

it('does not give up a diagram whose frame was not loaded, far below the view', async () => {
  await showDiagram('flowchart LR\n  B --> C');
  vi.useFakeTimers();
  pass(2 * PATIENCE_MS);
  expect(screen.queryByTestId('frame')).not.toBeNull();
});

it('offers no other attempt at a diagram with an error', async () => {
  await showDiagram('flowchart LR\n  C[[[');
  act(() => frame.props?.onAnswer?.({ type: 'failed', reason: 'Parse error' }));
  screen.getByText('Parse error');
  expect(screen.queryByRole('button', { name: 'Try again' })).toBeNull();
});

it('is drawn in light colours when the product prints it, and in those of the theme afterwards', async () => {
  await showDiagram('flowchart LR\n  D --> E');
  drawn(true);
  expect(box()?.dataset).toMatchObject({ drawn: 'dark' });
  expect(box()?.dataset.drawing).toBeUndefined();
  act(() => usePrinting.setState({ isPrinting: true, isPrepared: true }));
  expect(frame.props).toMatchObject({ eager: true, message: { isDark: false } });
  expect(box()?.dataset.drawing).toBe('');
  drawn(false);
  expect(box()?.dataset).toMatchObject({ drawn: 'light' });
  expect(box()?.dataset.drawing).toBeUndefined();
  act(() => usePrinting.setState({ isPrinting: false, isPrepared: false }));
  expect(frame.props).toMatchObject({ eager: false, message: { isDark: true } });
});

it('prints the code of a diagram that is not drawn yet, and has it for copies afterwards', async () => {
  await showDiagram('flowchart LR\n  E --> F');
  expect(printed(/E --> F/)).toBe(true);
  drawn(true);
  expect(printed(/E --> F/)).toBe(false);
});

it.each([
  { width: 2_000, height: 100 },
  { width: 100, height: 2_000 },
])('prints the code below a diagram that is too small to read on paper, of %j', async (size) => {
  await showDiagram(`flowchart LR\n  H --> I${size.width}`);
  drawn(false, size);
  expect(printed(/H --> I/)).toBe(true);
});

it.each([
  { textSize: 'huge' },
  { width: -1 },
  { height: 1e9 },
  { isDark: undefined, textSize: {} },
])('takes no answer with %j', async (part) => {
  await showDiagram(`flowchart LR\n  G --> ${Object.keys(part).join('')}`);
  const answer = { type: 'drawn', width: 9, height: 9, textSize: 9, isDark: true, ...part };
  act(() => frame.props?.onAnswer?.(answer));
  expect(box()?.dataset.drawn).toBeUndefined();
});
