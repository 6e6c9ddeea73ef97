import { t as common } from 'virtual:texts/app';
import { t } from 'virtual:texts/feedbackReason';
import { MAX_FEEDBACK_REASON_LENGTH, type Rating } from '@stolas/backend/contract';
import { type ComponentProps, type KeyboardEvent, useId, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { cn } from '../../../ui/cn.ts';
import { Popover } from '../../../ui/popover.tsx';
import { isComposing } from '../text-box.ts';

const REASONS = {
  good: ['correct', 'clear', 'complete', 'rightLength'],
  bad: ['notCorrect', 'notAsked', 'incomplete', 'tooLong', 'hardToRead'],
} as const;

interface FeedbackReasonProps extends Pick<ComponentProps<typeof Popover>, 'button' | 'onClose'> {
  rating: Rating;
  reason: string | undefined;
  onSave: (reason: string) => void;
}

/** Asks for the reason of a rating, which is optional. Enter saves, Escape cancels. */
export function FeedbackReason({ rating, reason = '', onSave, ...popover }: FeedbackReasonProps) {
  const id = useId();
  const [text, setText] = useState(reason);
  const label = t(rating);
  const reasons = REASONS[rating].map((reason) => t(reason));
  const save = () => {
    onSave(text.trim());
    popover.onClose();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || isComposing(event)) return;
    event.preventDefault();
    save();
  };
  return (
    <Popover {...popover} label={label} className="grid w-80 gap-3 text-sm">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      <div className="flex flex-wrap gap-2">
        {reasons.map((suggestion) => (
          <Suggestion
            key={suggestion}
            suggestion={suggestion}
            isChosen={listOf(text).includes(suggestion)}
            onClick={() => setText(toggle(text, suggestion))}
          />
        ))}
      </div>
      <textarea
        id={id}
        value={text}
        rows={2}
        dir="auto"
        maxLength={MAX_FEEDBACK_REASON_LENGTH}
        placeholder={t('more')}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        className="max-h-40 min-h-16 w-full resize-none rounded-sm border border-control bg-ground px-3 py-2 text-base text-ink [field-sizing:content] placeholder:text-muted"
      />
      <div className="flex justify-end gap-2">
        <Button size="sm" variant="ghost" onClick={popover.onClose}>
          {common('cancel')}
        </Button>
        <Button size="sm" variant="primary" onClick={save}>
          {common('save')}
        </Button>
      </div>
    </Popover>
  );
}

interface SuggestionProps {
  suggestion: string;
  isChosen: boolean;
  onClick: () => void;
}

const Suggestion = ({ suggestion, isChosen, onClick }: SuggestionProps) => (
  <button
    type="button"
    aria-pressed={isChosen}
    onClick={onClick}
    className={cn(
      'rounded-full border px-3 py-1 transition-colors duration-150 ease-out pointer-coarse:min-h-11',
      isChosen
        ? 'border-accent bg-accent-soft text-ink'
        : 'border-control text-muted hover:bg-hover',
    )}
  >
    {suggestion}
  </button>
);

/** The reasons in a text; commas separate suggestions. */
const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);

function toggle(text: string, suggestion: string): string {
  const list = listOf(text);
  const rest = list.filter((part) => part !== suggestion);
  return (rest.length < list.length ? rest : [...list, suggestion]).join(', ');
}
