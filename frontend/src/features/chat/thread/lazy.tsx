import { useEffect } from 'react';
import { loadedLater } from '../../../ui/loaded-later.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { ReplyLayout } from './message-frame.tsx';

/** What a user who is about to open or begin a conversation does first. */
const FIRST_MOVES = ['keydown', 'pointermove', 'pointerdown'];

/** Shaped like two sent messages with their replies. */
export const MessageListSkeleton = () => (
  <div aria-hidden="true" className="grid gap-8">
    {[0, 1].map((pair) => (
      <div key={pair} className="grid gap-8">
        <Skeleton className="ml-auto h-11 w-2/5 rounded-lg" />
        <ReplyLayout busy={false}>
          <div className="grid gap-3 pt-1">
            <Skeleton className="w-full" />
            <Skeleton className="w-11/12" />
            <Skeleton className="w-3/5" />
          </div>
        </ReplyLayout>
      </div>
    ))}
  </div>
);

/** The messages, with Markdown and the virtual list: a third of the chat's code, which the home screen does not need. */
export const MessageList = loadedLater(
  async () => (await import('./message-list.tsx')).MessageList,
  <MessageListSkeleton />,
);

/** A failure is reported when the messages are shown. */
export const preloadMessages = () => MessageList.preload().catch(() => undefined);

/** Loads the code of messages with the messages, and on the home screen as soon as the user does anything there. */
export function usePreloadMessages(isHome: boolean): void {
  useEffect(() => {
    const preload = () => void preloadMessages();
    if (!isHome) return preload();
    const options = { once: true, passive: true };
    for (const event of FIRST_MOVES) window.addEventListener(event, preload, options);
    return () => {
      for (const event of FIRST_MOVES) window.removeEventListener(event, preload);
    };
  }, [isHome]);
}
