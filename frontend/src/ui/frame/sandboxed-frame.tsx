import { useEffect, useEffectEvent, useLayoutEffect, useRef } from 'react';

interface SandboxedFrameProps {
  /** The page under /frames, whose policy is in backend/src/http/security-headers.ts. */
  page: 'artifact' | 'diagram';
  title: string;
  /** Sent when the page has loaded, and again when it changes. */
  message: Readonly<Record<string, unknown>>;
  /** The messages of the page. Its code is not ours: nothing may be assumed about them. */
  onAnswer?: (answer: unknown) => void;
  /** Called when the page has loaded or failed. */
  onLoad?: () => void;
  /** Loaded at once, and not only when it is near the view. */
  eager?: boolean;
  className?: string;
}

/** A page with an origin and a policy of its own, which keep it from this page and from the network (decision record 29). */
export function SandboxedFrame({
  page,
  title,
  message,
  onAnswer,
  onLoad,
  eager = false,
  className,
}: SandboxedFrameProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const isReady = useRef(false);
  const send = useEffectEvent(() => {
    // An opaque origin cannot be named; the window that gets the message is this frame's.
    frame.current?.contentWindow?.postMessage(message, '*');
  });
  const receive = useEffectEvent(({ source, data }: MessageEvent<unknown>) => {
    if (!source || source !== frame.current?.contentWindow) return;
    if (isReadyMessage(data)) {
      isReady.current = true;
      send();
    } else if (isReady.current) onAnswer?.(data);
  });
  // In the commit itself: the page may be ready before other effects run.
  useLayoutEffect(() => {
    const listener = (event: MessageEvent<unknown>) => receive(event);
    window.addEventListener('message', listener);
    return () => window.removeEventListener('message', listener);
  }, []);
  useEffect(() => {
    if (isReady.current) send();
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- another message is sent anew
  }, [message]);

  return (
    <iframe
      ref={frame}
      src={`/frames/${page}.html`}
      title={title}
      sandbox="allow-scripts"
      referrerPolicy="no-referrer"
      loading={eager ? 'eager' : 'lazy'}
      onLoad={onLoad}
      className={className}
    />
  );
}

const isReadyMessage = (data: unknown): boolean =>
  typeof data === 'object' && data !== null && 'type' in data && data.type === 'ready';
