import { expect, it } from 'vitest';
import { deriveTitle } from './title.ts';

const letters = (length: number) => 'x'.repeat(length);

it('keeps a short message unchanged', () => {
  expect(deriveTitle('Why is the sky dark?')).toBe('Why is the sky dark?');
});

it('collapses white space and drops it at the ends', () => {
  expect(deriveTitle('  Why\n\n is\tthe   sky  dark? ')).toBe('Why is the sky dark?');
});

it('keeps exactly 60 characters whole', () => {
  expect(deriveTitle(letters(60))).toBe(letters(60));
});

it('cuts at the last space when it comes after position 40', () => {
  expect(deriveTitle(`${letters(30)} ${letters(19)} ${letters(30)}`)).toBe(
    `${letters(30)} ${letters(19)}...`,
  );
});

it('counts a space at 41 but none at 40', () => {
  expect(deriveTitle(`${letters(41)} ${letters(40)}`)).toBe(`${letters(41)}...`);
  expect(deriveTitle(`${letters(40)} ${letters(40)}`)).toBe(`${letters(40)} ${letters(16)}...`);
});

it('cuts after 57 characters when there is no such space', () => {
  expect(deriveTitle(letters(61))).toBe(`${letters(57)}...`);
});

it('never passes 60 characters, wherever the last space is', () => {
  for (let position = 0; position < 62; position += 1) {
    const title = deriveTitle(`${letters(position)} ${letters(80)}`);
    expect(title.length).toBeLessThanOrEqual(60);
    expect(title).toMatch(/\.\.\.$/);
  }
});

it('does not split an emoji', () => {
  expect(deriveTitle(`${letters(56)}🦉${letters(20)}`)).toBe(`${letters(56)}...`);
});
