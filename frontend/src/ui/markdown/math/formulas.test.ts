import { describe, expect, it } from 'vitest';
import { hasFormula, withMarkedFormulas } from './formulas.ts';

describe('formulas in a text', () => {
  it.each([
    ['$x$', '$$x$$'],
    ['so $a_1 + b$, and', 'so $$a_1 + b$$, and'],
    ['\\(x\\)', '$$x$$'],
    ['is \\[x\\] here', 'is $$x$$ here'],
    ['\\[\nx\n= y\n\\]', '$$\nx\n= y\n$$'],
    ['$$ x $$', '$$\nx\n$$'],
    ['- a\n  $$\n  x\n  $$', '- a\n  $$\n  x\n  $$'],
    ['> $$\n> x^2 \\ge 0\n> $$', '> $$\n> x^2 \\ge 0\n> $$'],
    ['>\\[\n> x\n>   = y\n>\\]', '>$$\n>x\n>= y\n>$$'],
    ['> - a\n>   $$\n>   x\n>   $$', '> - a\n>   $$\n>   x\n>   $$'],
    ['> so \\(x\n> \\ge y\\)', '> so $$x  \\ge y$$'],
    ['x\n\n> - \\[x\n>   y\\]', 'x\n\n> - $$x    y$$'],
    ['a\n| $|x|$ | size |', 'a\n| $$\\vert x\\vert $$ | size |'],
    ['> | $P(A | B)$ |', '> | $$P(A \\vert  B)$$ |'],
    ['| \\(a | b\\) | $\\|v\\|$ |', '| $$a \\vert  b$$ | $$\\|v\\|$$ |'],
    ['$\\begin{array}{c|c}$ | $|x|$', '$$\\begin{array}{c|c}$$ | $$|x|$$'],
    ['| $|x|$ | absolute value |', '| $$\\vert x\\vert $$ | absolute value |'],
    ['| $|x|^2$ | $|0\\rangle$ |', '| $$\\vert x\\vert ^2$$ | $$\\vert 0\\rangle$$ |'],
    ['|$P(A|B)$|$+$|', '|$$P(A\\vert B)$$|$$+$$|'],
    ['$5 + x$', '$$5 + x$$'],
    ['$\\$5$', '$$\\$5$$'],
    ['`$a$` $b$', '`$a$` $$b$$'],
  ])('%j becomes %j', (text, marked) => {
    expect(hasFormula(text)).toBe(true);
    expect(withMarkedFormulas(text)).toBe(marked);
  });

  it.each([
    'from $5 to $10',
    '$5 and $10',
    '$20-$30',
    'US$5 or A$6',
    '$5 for one, 10$ for two',
    '$ x $',
    '$HOME/bin:$PATH',
    'an unfinished $x',
    'an unfinished \\(x',
    '`$a$`',
    '~~~\n$a$\n~~~',
    '\\$a\\$',
    '$a\nb$',
    '\\[a\n\nb\\]',
    '| Fee ($) | Price ($) |',
    '| "$" | "€" or "$" |',
    '| Inn | $$ | Bar | $$ |',
    '|Cost/$|Revenue/$|Year|',
    '|$|€|$|',
    '|**$**|**€**|**$**|',
  ])('%j holds none', (text) => {
    expect(hasFormula(text)).toBe(false);
    expect(withMarkedFormulas(text)).toBe(text);
  });

  it('takes indented text as code', () => {
    expect(hasFormula('    $a$')).toBe(false);
  });

  it('shows two dollars that nothing closes', () => {
    expect(hasFormula('an unfinished $$ x')).toBe(false);
    expect(withMarkedFormulas('$a$ and an unfinished $$ x')).toBe(
      '$$a$$ and an unfinished \\$\\$ x',
    );
  });

  it.each([
    '\\('.repeat(10_000),
    '$'.repeat(20_000),
    '$a '.repeat(7_000),
    '`'.repeat(20_000),
    `${'> '.repeat(90)}${'| $a | b$ '.repeat(1_900)}`,
  ])('reads hostile text in time', (text) => {
    expect(hasFormula(text)).toBe(false);
  });
});
