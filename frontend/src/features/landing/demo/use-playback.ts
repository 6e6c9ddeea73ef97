import { type RefObject, useEffect, useState } from 'react';

/** How much of the frame is in view when the recording begins. */
const VISIBLE_SHARE = 0.2;

/** What is on screen: the question being typed, then all of the message, then the reply, then its source. */
export type Scene = 'typing' | 'sent' | 'replying' | 'done';

/** How long the product seems to think, once the message stands in the thread. */
const THINKING_MS = 1_100;
const BEFORE_SENDING_MS = 400;

const FOLLOWING = {
  typing: { next: 'sent', after: BEFORE_SENDING_MS },
  sent: { next: 'replying', after: THINKING_MS },
} as const;

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
    const isWaiting = scene === 'sent' || (scene === 'typing' && isTyped);
    if (!playing || !isWaiting) return undefined;
    const { next, after } = FOLLOWING[scene];
    const timer = setTimeout(() => setScene(next), after);
    return () => clearTimeout(timer);
  }, [playing, scene, isTyped]);

  return {
    scene,
    playing,
    isPaused,
    /** Changes with every time that it is played from the beginning. */
    round,
    onTyped: () => setTyped(true),
    onReplied: () => setScene('done'),
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
