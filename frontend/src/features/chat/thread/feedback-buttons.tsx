import { t } from 'virtual:texts/chat';
import type { Rating, Reply } from '@stolas/backend/contract';
import { ThumbsDown, ThumbsUp } from 'lucide-react';
import { type ComponentType, useRef, useState } from 'react';
import { IconButton } from '../../../ui/icon-button.tsx';
import type { FeedbackReason } from './feedback-reason.tsx';
import { useFeedback } from './use-feedback.ts';

const BUTTONS = [
  { rating: 'good', Icon: ThumbsUp },
  { rating: 'bad', Icon: ThumbsDown },
] as const;

type Panel = ComponentType<Parameters<typeof FeedbackReason>[0]>;

/** Rates a reply: a click stores the rating and asks for a reason, another click removes it. */
export function FeedbackButtons({ reply }: { reply: Reply }) {
  const store = useFeedback(reply);
  const buttons = { good: useRef<HTMLButtonElement>(null), bad: useRef<HTMLButtonElement>(null) };
  const [asked, setAsked] = useState<Rating | null>(null);
  const [Reason, setReason] = useState<Panel | null>(null);
  const { rating: shown, reason } = reply.feedback ?? {};

  const rate = (rating: Rating) => {
    if (rating === shown) {
      setAsked(null);
      return store(undefined);
    }
    store({ rating });
    setAsked(rating);
    // The rating is stored even if the panel cannot be loaded.
    import('./feedback-reason.tsx').then(
      ({ FeedbackReason: loaded }) => setReason(() => loaded),
      () => undefined,
    );
  };

  return (
    <>
      {BUTTONS.map(({ rating, Icon }) => (
        <IconButton
          key={rating}
          ref={buttons[rating]}
          label={t(rating)}
          size="sm"
          aria-pressed={rating === shown}
          onClick={() => rate(rating)}
        >
          <Icon aria-hidden="true" className={rating === shown ? 'fill-current' : undefined} />
        </IconButton>
      ))}
      {Reason && asked && asked === shown && (
        <Reason
          key={asked}
          rating={asked}
          reason={reason}
          button={buttons[asked]}
          onSave={(text) => store({ rating: asked, ...(text && { reason: text }) })}
          onClose={() => setAsked(null)}
        />
      )}
    </>
  );
}
