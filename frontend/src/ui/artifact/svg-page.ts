/** A page with a drawing in its middle. Ink without a colour of its own is light on a dark ground. */
export const svgPage = (svg: string, { isOnDark }: { isOnDark: boolean }): string =>
  `<!doctype html><style>body{margin:0;min-height:100vh;display:grid;place-items:center}svg{max-width:100%;max-height:100vh}${isOnDark ? LIGHT_INK : ''}</style>${svg}`;

const LIGHT_INK = 'body{color:#e8e4da}:where(body>svg:not([fill])){fill:#e8e4da}';

/** Whether a drawing is visible on a dark ground: it has a ground, or names no dark ink. */
export function isLegibleOnDark(svg: string): boolean {
  const [root = ''] = /<svg\b[^<>]*>/i.exec(svg) ?? [];
  if (/\bstyle=["'][^"'<>]*\bbackground/i.test(root)) return true;
  const [ground = ''] = /<rect\b[^<>]*>/i.exec(svg) ?? [];
  if (coversAll(ground, root)) return true;
  return inksOf(svg).every((ink) => luminanceOf(ink) >= MIN_LUMINANCE);
}

/** Colours between these have a contrast of at least 2 to the ground. */
const MIN_LUMINANCE = 0.06;

function coversAll(rect: string, root: string): boolean {
  if (rect === '' || /\bfill=["'](?:none|transparent)/i.test(rect)) return false;
  const [, , width = Number.NaN, height = Number.NaN] = attributeOf(root, 'viewBox')
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  const covers = (name: 'width' | 'height', whole: number): boolean => {
    const value = attributeOf(rect, name);
    const size = Number.isNaN(whole) ? Number.parseFloat(attributeOf(root, name)) : whole;
    return value === '100%' || Number.parseFloat(value) >= size;
  };
  return covers('width', width) && covers('height', height);
}

const attributeOf = (tag: string, name: string): string =>
  new RegExp(`\\s${name}=["']([^"'<>]*)["']`, 'i').exec(tag)?.[1] ?? '';

const INK = /\b(?:fill|stroke)(?:=["']|:)\s*(#[0-9a-f]{3,8}\b|black\b)/gi;

const inksOf = (svg: string): string[] => [...svg.matchAll(INK)].map(([, ink = '']) => ink);

function luminanceOf(ink: string): number {
  if (!ink.startsWith('#')) return 0;
  const hex = ink.slice(1);
  const step = hex.length < 6 ? 1 : 2;
  const [red = 0, green = 0, blue = 0] = [0, 1, 2].map((n) => {
    const part = hex.slice(n * step, (n + 1) * step);
    return (Number.parseInt(step === 1 ? part + part : part, 16) / 255) ** 2.2;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
