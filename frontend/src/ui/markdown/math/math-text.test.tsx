import { render, screen, waitFor } from '@testing-library/react';
import { beforeAll, expect, it } from 'vitest';
import { Markdown } from '../markdown.tsx';

beforeAll(async () => {
  // KaTeX refuses documents without a doctype, such as that of the tests.
  Object.defineProperty(document, 'compatMode', { value: 'CSS1Compat' });
  await import('./math-text.tsx');
});

const formulas = (container: HTMLElement, count: number) =>
  waitFor(() => expect(container.querySelectorAll('.katex math')).toHaveLength(count));

const sources = (container: HTMLElement) =>
  [...container.querySelectorAll('annotation')].map(({ textContent }) => textContent);

it('typesets formulas in lines and on lines of their own, with MathML for screen readers', async () => {
  const { container } = render(
    <Markdown
      text={'Since $a^2$ and \\(b_1\\):\n\n$$\n\\frac{1}{2}\n= x\n$$\n\n- in\n  \\[y\\]'}
    />,
  );
  await formulas(container, 4);
  expect(container.querySelectorAll('.katex-html[aria-hidden=true]')).toHaveLength(4);
  const [first, second] = screen.getAllByRole('group', { name: 'Formula' });
  expect(first?.textContent).toContain('\\frac{1}{2}\n= x');
  expect(second?.closest('li')?.textContent).toContain('in');
});

it('reads a formula in a quote without the marks of the quote', async () => {
  const { container } = render(
    <Markdown text={'> $$\n> x^2 \\ge 0\n> $$\n>\n> \\[\n> y\n> = 1\n> \\]'} />,
  );
  await formulas(container, 2);
  expect(sources(container)).toEqual(['x^2 \\ge 0', 'y\n= 1']);
  expect(container.querySelectorAll('blockquote .md-formula')).toHaveLength(2);
});

it('keeps a formula with vertical bars in its cell', async () => {
  const { container } = render(
    <Markdown
      text={'| Term | Fee ($) | Tax ($) |\n|---|---|---|\n| $|x|$ | $P(A | B)$ | size |'}
    />,
  );
  await formulas(container, 2);
  expect([...container.querySelectorAll('th')].map(({ textContent }) => textContent)).toEqual([
    'Term',
    'Fee ($)',
    'Tax ($)',
  ]);
  expect(container.querySelectorAll('td')).toHaveLength(3);
  expect(sources(container)).toEqual(['\\vert x\\vert ', 'P(A \\vert  B)']);
});

it('shows a formula that streams as text until it is complete', async () => {
  const { container, rerender } = render(<Markdown text={'So $x^2'} streaming />);
  expect(container.textContent).toBe('So $x^2');
  rerender(<Markdown text={'So $x^2$ is'} streaming />);
  await formulas(container, 1);
  rerender(<Markdown text={'So $x^2$ is $$ y'} streaming />);
  expect(container.textContent).toMatch(/is \$\$ y$/);
});

it('leaves prices and code alone', () => {
  const text = 'From $5 to $10, `$a$`, $HOME/bin:$PATH';
  const { container } = render(<Markdown text={text} />);
  expect(container.textContent).toBe(text.replaceAll('`', ''));
});

it('shows the source of a formula that cannot be read', async () => {
  const { container } = render(<Markdown text={'$\\frac{1$ and $x$'} />);
  await formulas(container, 1);
  expect(container.querySelector('code')?.textContent).toBe('\\frac{1');
});

it.each([
  '$\\href{javascript:alert(1)}{x}$',
  '$\\url{https://example.org}$',
  '$\\includegraphics{https://example.org/x.png}$',
  '$\\htmlStyle{position:fixed}{x}$',
])('%s does nothing', async (text) => {
  const { container } = render(<Markdown text={`${text} $y$`} />);
  await waitFor(() => expect(container.querySelector('.katex')).not.toBeNull());
  expect(container.querySelector('a, img, [style*=fixed]')).toBeNull();
});

it('ends the expansion of a macro that calls itself', async () => {
  const { container } = render(<Markdown text={'$\\def\\a{\\a\\a}\\a$ $y$'} />);
  await formulas(container, 1);
  expect(container.querySelector('code')?.textContent).toContain('\\def');
});
