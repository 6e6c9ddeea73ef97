// Runs in the sandboxed frame /frames/diagram.html, not in a worker: it is bundled as one so that it shares no code with
// the page.
import mermaid from 'mermaid';

/** The message of the page. */
export interface DrawRequest {
  code: string;
  isDark: boolean;
  /** Colours of the page by the name of mermaid's theme variable. */
  colors: Record<string, string>;
}

/** The answer of the frame; sizes in px, before the drawing is scaled. */
export type DrawAnswer =
  | { type: 'drawn'; width: number; height: number; textSize: number; isDark: boolean }
  | { type: 'failed'; reason: string };

let drawings = 0;
let latest: Promise<unknown> = Promise.resolve();

/** One at a time: a drawing replaces everything on the page, also what mermaid needs for the next one. */
function draw(request: DrawRequest): Promise<DrawAnswer> {
  const answer = latest.then(() => drawNext(request));
  latest = answer.catch(() => undefined);
  return answer;
}

/** The browser's own print command leaves no time to draw it in light colours. */
const INVERTED = `<style>@media print {
  :root { color-scheme: light !important }
  svg { filter: invert(1) hue-rotate(180deg) }
  svg * { -webkit-print-color-adjust: exact; print-color-adjust: exact }
}</style>`;

async function drawNext({ code, isDark, colors }: DrawRequest): Promise<DrawAnswer> {
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    suppressErrorRendering: true,
    maxTextSize: 20_000,
    maxEdges: 500,
    fontFamily: 'ui-sans-serif, system-ui, sans-serif',
    theme: 'base',
    themeVariables: { darkMode: isDark, ...colors },
    flowchart: { useMaxWidth: true },
    // Drawn as wide as the frame, with text of 10 px: it would be scaled until it is wider than the frame.
    gantt: { fontSize: 12, sectionFontSize: 12 },
    themeCSS: '.grid .tick text { font-size: 12px }',
  });
  document.documentElement.style.colorScheme = isDark ? 'dark' : 'light';
  document.body.style.margin = '0';
  try {
    drawings += 1;
    const { svg } = await mermaid.render(`diagram-${drawings}`, code);
    document.body.innerHTML = isDark ? svg + INVERTED : svg;
    return answerOf(document.querySelector('svg'), isDark);
  } catch (error) {
    return { type: 'failed', reason: error instanceof Error ? error.message : '' };
  }
}

function answerOf(svg: SVGSVGElement | null, isDark: boolean): DrawAnswer {
  if (!svg) return { type: 'failed', reason: '' };
  const { width, height } = svg.viewBox.baseVal;
  svg.style.cssText = 'display:block;margin:auto;width:100%;height:100%;max-width:none';
  document.documentElement.style.height = '100%';
  document.body.style.height = '100%';
  return { type: 'drawn', width, height, textSize: smallestTextOf(svg), isDark };
}

function smallestTextOf(svg: SVGSVGElement): number {
  const hasText = (element: Element) =>
    !element.matches('style, title, desc') &&
    [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim());
  const sizes = [...svg.querySelectorAll('*')]
    .filter(hasText)
    .map((element) => Number.parseFloat(getComputedStyle(element).fontSize));
  return Math.min(...sizes, 16);
}

// The bundle of a worker exports nothing.
Object.assign(globalThis, { draw });
