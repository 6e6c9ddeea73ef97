import { useEffect, useEffectEvent, useState } from 'react';

/** The specified pace (docs/product.md, 'Landing page'). */
const MS_PER_CHARACTER = 30;
/** Screens draw at most once in this time; a faster pace takes several characters in one step. */
const SHORTEST_STEP_MS = 16;

interface TypewriterOptions {
  /** The number of characters to reveal. */
  length: number;
  msPerCharacter?: number;
  /** False pauses it. */
  playing?: boolean;
  /** Called once the last character is shown. */
  onComplete?: () => void;
}

/** Reveals a text one character after the other. @returns the number of shown characters */
export function useTypewriter({
  length,
  msPerCharacter = MS_PER_CHARACTER,
  playing = true,
  onComplete,
}: TypewriterOptions): number {
  const [shown, setShown] = useState(0);
  const complete = useEffectEvent(() => onComplete?.());
  const isComplete = shown >= length;

  useEffect(() => {
    if (!playing || isComplete) return undefined;
    const step = Math.max(1, Math.ceil(SHORTEST_STEP_MS / msPerCharacter));
    const timer = setInterval(() => setShown((now) => now + step), step * msPerCharacter);
    return () => clearInterval(timer);
  }, [playing, isComplete, msPerCharacter]);

  useEffect(() => {
    if (isComplete) complete();
  }, [isComplete]);

  return Math.min(shown, length);
}
