import { render } from '@testing-library/react';
import { expect, it } from 'vitest';
import { rich } from './rich.tsx';

const htmlOf = (...text: Parameters<typeof rich>) => render(rich(...text)).container.innerHTML;
const tags = {
  link: (content: string) => <a href="/plans">{content}</a>,
  b: (content: string) => <b>{content}</b>,
};

it('puts elements where the text has its tags, in the order of the text', () => {
  expect(htmlOf('<b>Now</b>: see <link>all plans</link>.', tags)).toBe(
    '<b>Now</b>: see <a href="/plans">all plans</a>.',
  );
});

it('shows a text without tags, and tags that it does not know, as they are', () => {
  expect(htmlOf('1 < 2', tags)).toBe('1 &lt; 2');
  expect(htmlOf('<i>x</i>', tags)).toBe('&lt;i&gt;x&lt;/i&gt;');
});

it('an argument is never an element', () => {
  expect(htmlOf('<b><img src=x></b>', tags)).toBe('<b>&lt;img src=x&gt;</b>');
});

it('renders the text around the elements with `plain`', () => {
  expect(htmlOf('by <b>30 June</b>, or', tags, (text) => text.toUpperCase())).toBe(
    'BY <b>30 June</b>, OR',
  );
});
