import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

// WCAG 2.2 AA, computed from the tokens themselves: 4.5:1 for text, 3:1 for edges of controls and focus rings.
const css = readFileSync(join(import.meta.dirname, 'theme.css'), 'utf8');

type Tokens = Record<string, number>;

const GROUNDS = ['ground', 'surface', 'raised', 'hover', 'bubble', 'code'];
const TEXT_PAIRS: [text: string, grounds: string[]][] = [
  ['ink', [...GROUNDS, 'accent-soft', 'cool-soft', 'danger-soft', 'success-soft']],
  ['muted', [...GROUNDS, 'accent-soft', 'cool-soft', 'danger-soft', 'success-soft']],
  ['accent', ['ground', 'surface', 'raised', 'hover', 'accent-soft']],
  ['cool', [...GROUNDS, 'accent-soft', 'cool-soft']],
  ['danger', ['ground', 'surface', 'raised', 'hover', 'danger-soft']],
  ['success', ['ground', 'surface', 'raised', 'success-soft']],
  ['on-accent', ['gold', 'gold-hover']],
  ['on-danger', ['danger']],
];
const EDGE_PAIRS: [edge: string, grounds: string[]][] = [
  ['control', ['ground', 'surface', 'raised']],
  ['gold', ['ground', 'raised']],
  ['cool', GROUNDS],
];

describe.each([
  ['light', /:root,\n\.light \{([^}]+)\}/],
  ['dark', /\.dark \{([^}]+)\}/],
])('in the %s theme', (_name, block) => {
  const tokens = luminances(css.match(block)?.[1] ?? '');

  it.each(TEXT_PAIRS)('%s reads on its grounds', (text, grounds) => {
    for (const ground of grounds) {
      expect(contrast(tokens, text, ground), `${text} on ${ground}`).toBeGreaterThanOrEqual(4.5);
    }
  });

  it.each(EDGE_PAIRS)('%s can be seen on its grounds', (edge, grounds) => {
    for (const ground of grounds) {
      expect(contrast(tokens, edge, ground), `${edge} on ${ground}`).toBeGreaterThanOrEqual(3);
    }
  });
});

function contrast(tokens: Tokens, a: string, b: string): number {
  const [light, dark] = [tokens[a] ?? Number.NaN, tokens[b] ?? Number.NaN].toSorted(
    (x, y) => y - x,
  );
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05);
}

function luminances(block: string): Tokens {
  const opaque = block.matchAll(/--([\w-]+): oklch\(([\d.]+) ([\d.]+) ([\d.]+)\);/g);
  return Object.fromEntries(
    [...opaque].map(([, name, l, c, h]) => [name, luminance(Number(l), Number(c), Number(h))]),
  );
}

/** Relative luminance of an OKLCH colour, through linear sRGB (CSS Color 4, 9.3), clipped to the gamut. */
function luminance(lightness: number, chroma: number, hue: number): number {
  const angle = (hue * Math.PI) / 180;
  const a = chroma * Math.cos(angle);
  const b = chroma * Math.sin(angle);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const clip = (value: number) => Math.min(1, Math.max(0, value));
  const red = clip(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s);
  const green = clip(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s);
  const blue = clip(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
