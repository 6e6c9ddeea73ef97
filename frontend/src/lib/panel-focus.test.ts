import { beforeEach, expect, it } from 'vitest';
import { createPanelFocus } from './panel-focus.ts';

beforeEach(() => {
  document.body.innerHTML = '<button>Open</button><textarea></textarea>';
});

const hide = () => undefined;
const focus = (selector: string) => document.querySelector<HTMLElement>(selector)?.focus();

it('is taken once after the panel was opened, and goes back to where it was', () => {
  const panel = createPanelFocus();
  focus('button');
  panel.leave();
  expect(panel.take()).toBe(true);
  expect(panel.take()).toBe(false);
  focus('textarea');
  expect(panel.close(hide)).toBe(true);
  expect(document.activeElement?.tagName).toBe('BUTTON');
});

it('is not taken from a field that the user fills in while the panel is loaded', () => {
  const panel = createPanelFocus();
  focus('button');
  panel.leave();
  focus('textarea');
  expect(panel.take()).toBe(false);
});

it('goes nowhere when the opener is gone or the panel has opened by itself', () => {
  const panel = createPanelFocus();
  focus('button');
  panel.leave();
  panel.forget();
  expect(panel.close(hide)).toBe(false);
  panel.leave();
  document.querySelector('button')?.remove();
  expect(panel.close(hide)).toBe(false);
});
