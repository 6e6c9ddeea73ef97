import { useEffect } from 'react';
import { lazyPart } from '../../../ui/lazy-part.tsx';
import { ReplyLayout } from '../../../ui/message-look.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';

/** What a user who is about to open or begin a conversation does first. */
const FIRST_MOVES = ['keydown', 'pointermove', 'pointerdown'];

/** Lines of a reply that are not there yet. @param height that of the reply, about, in pixels */
export const ReplySkeleton = ({ height }: { height?: number }) => (
  <ReplyLayout busy={false}>
    <div style={{ minHeight: height }}>
      {/* In view also when the top of the reply is not. */}
      <div className="sticky top-4 grid gap-3 pt-1">
        <Skeleton className="w-full" />
        <Skeleton className="w-11/12" />
        <Skeleton className="w-3/5" />
      </div>
    </div>
  </ReplyLayout>
);

/**
 * A reply, with Markdown and all that stands below it: a quarter of the chat's code, which neither the home screen needs nor a message
 * that waits offline.
 */
export const ReplyMessage = lazyPart(
  async () => (await import('./reply-message.tsx')).ReplyMessage,
  { fallback: <ReplySkeleton /> },
);

/** A failure is reported when a reply is shown. */
export const preloadReplies = () => ReplyMessage.preload().catch(() => undefined);

/** Loads the code of replies with the messages, and on the home screen as soon as the user does anything there. */
export function usePreloadReplies(isHome: boolean): void {
  useEffect(() => {
    const preload = () => void preloadReplies();
    if (!isHome) return preload();
    const options = { once: true, passive: true };
    for (const event of FIRST_MOVES) window.addEventListener(event, preload, options);
    return () => {
      for (const event of FIRST_MOVES) window.removeEventListener(event, preload);
    };
  }, [isHome]);
}
