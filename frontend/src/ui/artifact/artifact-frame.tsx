import { useMemo } from 'react';
import { useTheme } from '../../lib/theme.ts';
import { cn } from '../cn.ts';
import { SandboxedFrame } from '../frame/sandboxed-frame.tsx';
import type { Artifact } from './artifact-kind.ts';
import { isLegibleOnDark, svgPage } from './svg-page.ts';

interface ArtifactFrameProps {
  artifact: Artifact;
  /** Whether its scripts run. */
  isRunning: boolean;
  className: string;
}

/** A page or a drawing in a separate frame. */
export function ArtifactFrame({ artifact, isRunning, className }: ArtifactFrameProps) {
  const { code, kind, title } = artifact;
  const isDark = useTheme() === 'dark';
  const isOnDark = kind === 'svg' && isDark && isLegibleOnDark(code);
  const message = useMemo(
    () => ({ html: kind === 'svg' ? svgPage(code, { isOnDark }) : code, run: isRunning }),
    [code, kind, isOnDark, isRunning],
  );
  return (
    <SandboxedFrame
      page="artifact"
      title={title}
      message={message}
      className={cn(surfaceOf(kind, { isDark, isOnDark }), '[color-scheme:light]', className)}
    />
  );
}

/** The ground of pages without one. Pages that name none expect a white one. */
function surfaceOf(kind: Artifact['kind'], at: { isDark: boolean; isOnDark: boolean }): string {
  if (kind !== 'svg') return 'bg-[white]';
  return at.isDark && !at.isOnDark ? 'bg-[oklch(0.84_0.012_88)]' : 'bg-[var(--code)]';
}
