import { t } from 'virtual:texts/markdown';
import { type CSSProperties, useEffect, useMemo, useState } from 'react';
import { usePrinting } from '../../../lib/printing.ts';
import { useTheme } from '../../../lib/theme.ts';
import { SandboxedFrame } from '../../frame/sandboxed-frame.tsx';
import type { DrawAnswer, DrawRequest } from './draw.worker.ts';
// oxlint-disable-next-line import/default -- Vite makes it
import script from './draw.worker.ts?worker&url';

/** A diagram that takes longer than this after its frame was loaded is given up: the frame may hang. */
const PATIENCE_MS = 15_000;
/** Text is never scaled to less; what is then too wide scrolls. */
const MIN_TEXT_PX = 12;
/** Printed diagrams cannot scroll: the code of a diagram whose text would be smaller is printed below it. */
const MIN_PRINTED_TEXT_PX = 8;
/** About the text of a page, as `markdown.css` sizes a printed diagram. */
const PAPER_PX = { width: 680, height: 756 };
/** Limits the size that a frame can request. */
const MIN_TEXT_SIZE = 4;

type Drawing = Extract<DrawAnswer, { type: 'drawn' }>;

/** Diagrams that were drawn before, so that a row that is mounted again keeps its height. */
const drawings = new Map<string, Drawing>();

/** Why a diagram was not drawn. */
export interface DrawFailure {
  reason: string;
  /** It took too long, so that another attempt may succeed. */
  isLate?: boolean;
}

interface DiagramProps {
  code: string;
  /** As large as the box around it, rather than as it was drawn. */
  fill?: boolean;
  onFailure: (failure: DrawFailure) => void;
}

/**
 * A mermaid diagram in the colours of the page, and in light ones when the product prints it. Its code is for copies, and
 * printed in its place while it is not drawn, and below it when it is too small on paper.
 */
export function Diagram({ code, fill = false, onFailure }: DiagramProps) {
  const { isPrinting, isPrepared } = usePrinting();
  const isPageDark = useTheme() === 'dark';
  const isDark = isPageDark && !isPrepared;
  const [drawing, setDrawing] = useState<Drawing>();
  const [isLoaded, setLoaded] = useState(false);
  const message = useMemo(() => {
    const request: DrawRequest = { code, isDark, colors: colorsOf(isDark) };
    return { script, ...request };
  }, [code, isDark]);
  const isDrawn = drawing !== undefined;
  useEffect(() => {
    if (isDrawn || !isLoaded) return undefined;
    const giveUp = () => onFailure({ reason: t('tookTooLong'), isLate: true });
    const timer = setTimeout(giveUp, PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [isDrawn, isLoaded, onFailure]);

  const onAnswer = (data: unknown) => {
    const answer = readAnswer(data);
    if (!answer) return;
    if (answer.type === 'failed') return onFailure({ reason: answer.reason });
    drawings.set(code, answer);
    setDrawing(answer);
  };
  const size = drawing ?? drawings.get(code);
  return (
    <>
      <div
        className="md-diagram md-scroll"
        dir="ltr"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard
        tabIndex={0}
        data-fill={fill || undefined}
        data-drawn={drawing && (drawing.isDark ? 'dark' : 'light')}
        data-drawing={drawing?.isDark === isDark ? undefined : ''}
        style={size && variablesOf(size)}
      >
        <SandboxedFrame
          page="diagram"
          title={t('diagram')}
          message={message}
          onAnswer={onAnswer}
          onLoad={() => setLoaded(true)}
          eager={isPrinting}
        />
      </div>
      {!fill && (
        <pre
          className="md-printed-code"
          dir="ltr"
          hidden={drawing !== undefined && isLegibleOnPaper(drawing)}
        >
          <code>{code}</code>
        </pre>
      )}
    </>
  );
}

function isLegibleOnPaper({ width, height, textSize }: Drawing): boolean {
  const scale = Math.min(1, PAPER_PX.width / width, PAPER_PX.height / height);
  return textSize * scale >= MIN_PRINTED_TEXT_PX;
}

/** What `markdown.css` computes the size of the frame from. */
const variablesOf = ({
  width,
  height,
  textSize,
}: Drawing): CSSProperties & Record<`--${string}`, string | number> => ({
  '--width': `${width}px`,
  '--ratio': width / height,
  '--min-width': `${Math.ceil((width * MIN_TEXT_PX) / textSize)}px`,
  '--min-height': `${Math.ceil((height * MIN_TEXT_PX) / textSize)}px`,
});

/** The frame's messages are not trusted: only sizes that can be drawn are accepted. */
function readAnswer(data: unknown): DrawAnswer | undefined {
  if (typeof data !== 'object' || data === null || !('type' in data)) return undefined;
  if (data.type === 'failed') {
    const reason = 'reason' in data && typeof data.reason === 'string' ? data.reason : '';
    return { type: 'failed', reason };
  }
  if (data.type !== 'drawn') return undefined;
  if (!('width' in data && 'height' in data && 'textSize' in data && 'isDark' in data)) {
    return undefined;
  }
  const [width, height] = [Number(data.width), Number(data.height)];
  const textSize = Math.max(MIN_TEXT_SIZE, Number(data.textSize));
  return width > 0 && height > 0 && width < 1e5 && height < 1e5 && textSize < 1e3
    ? { type: 'drawn', width, height, textSize, isDark: data.isDark === true }
    : undefined;
}

/**
 * The colours of a theme, whichever the page has. Mermaid computes with colours and knows no `oklch()`, so they are handed
 * over as the browser paints them.
 */
function colorsOf(isDark: boolean): Record<string, string> {
  const probe = document.createElement('div');
  probe.className = isDark ? 'dark' : 'light';
  document.body.append(probe);
  const styles = getComputedStyle(probe);
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const color = (name: string): string => {
    if (!context) return '#888888';
    context.fillStyle = styles.getPropertyValue(name);
    context.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
    return `#${[red, green, blue].map((part) => part.toString(16).padStart(2, '0')).join('')}`;
  };
  const ink = color('--ink');
  const colors = {
    background: color('--code'),
    primaryColor: color('--raised'),
    primaryBorderColor: color('--accent'),
    primaryTextColor: ink,
    secondaryColor: color('--bubble'),
    tertiaryColor: color('--surface'),
    lineColor: color('--muted'),
    textColor: ink,
    edgeLabelBackground: color('--code'),
    noteBkgColor: color('--accent-soft'),
    noteTextColor: ink,
    noteBorderColor: color('--accent'),
  };
  probe.remove();
  return colors;
}
