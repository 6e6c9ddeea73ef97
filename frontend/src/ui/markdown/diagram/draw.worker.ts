// Runs in the sandboxed frame /frames/diagram.html, not in a worker: it is bundled as one so that it shares no code with
// the page.
import mermaid from 'mermaid';

/** What the page hands over. */
export interface DrawRequest {
  code: string;
  isDark: boolean;
  /** Colours of the page by the name of mermaid's theme variable. */
  colors: Record<string, string>;
}

/** What the frame answers; sizes in px. */
export type DrawAnswer =
  | { type: 'drawn'; width: number; height: number }
  | { type: 'failed'; reason: string };

let drawings = 0;

async function draw({ code, isDark, colors }: DrawRequest): Promise<DrawAnswer> {
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
  });
  document.documentElement.style.colorScheme = isDark ? 'dark' : 'light';
  document.body.style.margin = '0';
  try {
    drawings += 1;
    const { svg } = await mermaid.render(`diagram-${drawings}`, code);
    document.body.innerHTML = svg;
    return sizeOf(document.querySelector('svg'));
  } catch (error) {
    return { type: 'failed', reason: error instanceof Error ? error.message : '' };
  }
}

function sizeOf(svg: SVGSVGElement | null): DrawAnswer {
  if (!svg) return { type: 'failed', reason: '' };
  const { width, height } = svg.viewBox.baseVal;
  svg.style.cssText = 'display:block;margin:auto;width:100%;height:100%;max-width:none';
  document.documentElement.style.height = '100%';
  document.body.style.height = '100%';
  return { type: 'drawn', width, height };
}

// The bundle of a worker exports nothing.
Object.assign(globalThis, { draw });
