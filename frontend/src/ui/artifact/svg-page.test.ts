import { expect, it } from 'vitest';
import { isLegibleOnDark, svgPage } from './svg-page.ts';

const svg = (content: string, root = 'viewBox="0 0 40 20"') => `<svg ${root}>${content}</svg>`;

it.each([
  ['names no ink', svg('<path d="M0 0h9"/>'), true],
  ['names light ink', svg('<path stroke="#e0b050"/>'), true],
  ['names dark ink', svg('<path stroke="#e0b050"/><path fill="#222"/>'), false],
  ['names black ink in a style', svg('<style>path{fill: black}</style><path/>'), false],
  [
    'names dark ink on its own ground',
    svg('<rect width="40" height="20" fill="#fff"/><path fill="#222"/>'),
    true,
  ],
  [
    'names dark ink on a ground of 100%',
    svg('<rect width="100%" height="100%" fill="#fff"/><path fill="#222"/>'),
    true,
  ],
  [
    'has a ground of its own size',
    svg('<rect width="40" height="20" fill="#fff"/><path fill="#222"/>', 'width="40" height="20"'),
    true,
  ],
  ['has a background in its style', svg('<path fill="#222"/>', 'style="background: #fff"'), true],
  ['begins with a small box', svg('<rect width="4" height="20" fill="#222"/>'), false],
  [
    'begins with an empty box',
    svg('<rect width="40" height="20" fill="none" stroke="#222"/>'),
    false,
  ],
])('a drawing that %s is legible on a dark ground: %j', (_name, drawing, isLegible) => {
  expect(isLegibleOnDark(drawing)).toBe(isLegible);
});

it('gives ink that is not named the colour of the ground it stands on', () => {
  expect(svgPage('<svg/>', { isOnDark: true })).toContain('fill:#e8e4da');
  expect(svgPage('<svg/>', { isOnDark: false })).not.toContain('fill:');
});
