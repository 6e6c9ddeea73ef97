import { t } from 'virtual:texts/markdown';
import { useEffect, useMemo, useState } from 'react';
import { useTheme } from '../../../lib/theme.ts';
import { SandboxedFrame } from '../../frame/sandboxed-frame.tsx';
import type { DrawAnswer, DrawRequest } from './draw.worker.ts';
// oxlint-disable-next-line import/default -- Vite makes it
import script from './draw.worker.ts?worker&url';

/** A diagram that takes longer than this is given up: its frame may hang. */
const PATIENCE_MS = 15_000;
const MAX_HEIGHT = 560;

/** Sizes of diagrams that were drawn before, so that a row that is mounted again keeps its height. */
const sizes = new Map<string, Size>();

interface Size {
  width: number;
  height: number;
}

interface DiagramProps {
  code: string;
  /** As large as the box around it, rather than as it was drawn. */
  fill?: boolean;
  onFailure: (reason: string) => void;
}

/** A mermaid diagram in the colours of the page. */
export function Diagram({ code, fill = false, onFailure }: DiagramProps) {
  const theme = useTheme();
  const [size, setSize] = useState(() => sizes.get(code));
  const message = useMemo(() => {
    const request: DrawRequest = { code, isDark: theme === 'dark', colors: colorsOfPage() };
    return { script, ...request };
  }, [code, theme]);
  const isDrawn = size !== undefined;
  useEffect(() => {
    if (isDrawn) return undefined;
    const timer = setTimeout(() => onFailure(t('tookTooLong')), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [isDrawn, onFailure]);

  const onAnswer = (data: unknown) => {
    const answer = readAnswer(data);
    if (!answer) return;
    if (answer.type === 'failed') return onFailure(answer.reason);
    sizes.set(code, answer);
    setSize(answer);
  };
  return (
    <SandboxedFrame
      page="diagram"
      title={t('diagram')}
      message={message}
      onAnswer={onAnswer}
      className={fill ? 'size-full' : 'md-diagram'}
      {...(!fill && { style: size ? boxOf(size) : { blockSize: 160 } })}
    />
  );
}

const boxOf = ({ width, height }: Size) => ({
  aspectRatio: `${width} / ${height}`,
  maxBlockSize: Math.min(height, MAX_HEIGHT),
});

/** What the frame sends is not ours: only sizes that can be drawn are taken. */
function readAnswer(data: unknown): DrawAnswer | undefined {
  if (typeof data !== 'object' || data === null || !('type' in data)) return undefined;
  if (data.type === 'failed') {
    const reason = 'reason' in data && typeof data.reason === 'string' ? data.reason : '';
    return { type: 'failed', reason };
  }
  if (data.type !== 'drawn' || !('width' in data) || !('height' in data)) return undefined;
  const [width, height] = [Number(data.width), Number(data.height)];
  return width > 0 && height > 0 && width < 1e5 && height < 1e5
    ? { type: 'drawn', width, height }
    : undefined;
}

/** Mermaid computes with colours and knows no `oklch()`, so they are handed over as the browser paints them. */
function colorsOfPage(): Record<string, string> {
  const styles = getComputedStyle(document.documentElement);
  const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const color = (name: string): string => {
    if (!context) return '#888888';
    context.fillStyle = styles.getPropertyValue(name);
    context.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data;
    return `#${[red, green, blue].map((part) => part.toString(16).padStart(2, '0')).join('')}`;
  };
  const ink = color('--ink');
  return {
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
}
