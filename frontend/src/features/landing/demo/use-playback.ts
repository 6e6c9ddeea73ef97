import { type RefObject, useEffect, useState } from 'react';

/** The recording begins when this share of the frame is in view. */
const VISIBLE_SHARE = 0.2;

/**
 * The scenes in their order: the question is typed, the message is sent, the reply is written, the pointer goes to the
 * number of a source, its page opens, and the claims are checked.
 */
const SCENES = ['typing', 'sent', 'replying', 'pointing', 'opened', 'done'] as const;
export type Scene = (typeof SCENES)[number];

/** How long a scene stays before the next one; typing only once the question is typed, and replying ends by itself. */
const STAYS_MS: Partial<Record<Scene, number>> = {
  typing: 400,
  sent: 1_100,
  pointing: 1_200,
  opened: 2_400,
};

/** Whether the recording has come to `scene`. */
export const isAt = (scene: Scene, now: Scene): boolean =>
  SCENES.indexOf(now) >= SCENES.indexOf(scene);

/** Plays the recording while the frame is in view; with reduced motion it is at its end from the start. */
export function usePlayback(frame: RefObject<HTMLElement | null>) {
  const [scene, setScene] = useState<Scene>(prefersStill() ? 'done' : 'typing');
  const [isTyped, setTyped] = useState(false);
  const [isInView, setInView] = useState(false);
  const [isPaused, setPaused] = useState(false);
  const [round, setRound] = useState(0);
  const playing = isInView && !isPaused;

  useEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    const observer = new IntersectionObserver(
      ([entry]) => setInView(entry?.isIntersecting ?? false),
      { threshold: VISIBLE_SHARE },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [frame]);

  useEffect(() => {
    const after = STAYS_MS[scene];
    const next = SCENES[SCENES.indexOf(scene) + 1];
    if (!playing || after === undefined || !next || (scene === 'typing' && !isTyped))
      return undefined;
    const timer = setTimeout(() => setScene(next), after);
    return () => clearTimeout(timer);
  }, [playing, scene, isTyped]);

  return {
    scene,
    playing,
    isPaused,
    /** Changes with every playback from the beginning. */
    round,
    onTyped: () => setTyped(true),
    onReplied: () => setScene('pointing'),
    toggle: () => setPaused(!isPaused),
    playAgain: () => {
      setTyped(false);
      setPaused(false);
      setScene('typing');
      setRound(round + 1);
    },
  };
}

const prefersStill = () => matchMedia('(prefers-reduced-motion: reduce)').matches;
