import { render, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { UserText } from './user-text.tsx';

const TYPED = [
  '# comment',
  'C:\\dir\\_new_   and *stars*',
  '',
  '  - indented & <b>not bold</b> \\* &amp;',
  'see https://example.org/a_b_c. `x = "**"`',
  '```ts',
  "const a = '<i>';",
  '```',
  'שלום עולם',
].join('\n');

it('shows a text character for character', () => {
  const { container } = render(<UserText text={TYPED} />);
  expect(container.textContent).toBe(TYPED);
  expect(container.querySelectorAll('h1, ul, li, b, i, em, strong')).toHaveLength(0);
});

it('links URLs with noopener', () => {
  render(<UserText text={TYPED} />);
  const link = screen.getByRole('link');
  expect(link.getAttribute('href')).toBe('https://example.org/a_b_c');
  expect(link.getAttribute('rel')).toContain('noopener');
});

it('shows code in a code font, from left to right, with its fences and backticks', () => {
  const { container } = render(<UserText text={TYPED} />);
  const code = [...container.querySelectorAll('code')].map((element) => element.textContent);
  expect(code).toEqual(['`x = "**"`', "const a = '<i>';\n"]);
  expect([...container.querySelectorAll('code')].every(({ dir }) => dir === 'ltr')).toBe(true);
});
