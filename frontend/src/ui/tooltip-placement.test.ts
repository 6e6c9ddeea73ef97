import { expect, it } from 'vitest';
import { placeTooltip } from './tooltip-placement.ts';

const size = { width: 100, height: 30 };
const view = { width: 1000, height: 600 };
const at = (left: number, top: number) => new DOMRect(left, top, 40, 40);

it.each([
  ['above its anchor', 'top', at(500, 300), { left: 470, top: 264 }],
  ['beside its anchor', 'right', at(500, 300), { left: 546, top: 305 }],
  ['below, where there is no room above', 'top', at(500, 10), { left: 470, top: 56 }],
  [
    'to the left, where there is no room on the right',
    'right',
    at(955, 300),
    { left: 849, top: 305 },
  ],
  ['away from the left edge', 'top', at(0, 300), { left: 8, top: 264 }],
  ['away from the right edge', 'bottom', at(960, 300), { left: 892, top: 346 }],
] as const)('a tooltip stands %s', (_where, side, anchor, place) => {
  expect(placeTooltip(side, { anchor, size, view })).toEqual(place);
});
