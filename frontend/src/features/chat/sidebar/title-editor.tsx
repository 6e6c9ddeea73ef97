import { t } from 'virtual:texts/conversationActions';
import { type Conversation, MAX_TITLE_LENGTH } from '@stolas/backend/contract';
import { type KeyboardEvent, useId, useRef, useState } from 'react';
import { cn } from '../../../ui/cn.ts';
import { isComposing } from '../text-box.ts';
import { renameConversation } from './rename-conversation.ts';

interface TitleEditorProps {
  conversation: Conversation;
  className?: string;
  /** The title was saved or left as it was. `byKey`: the focus is still in the editor. */
  onEnd: (how: { byKey: boolean }) => void;
}

/** The title as a text field: Enter saves it, Escape restores it, leaving the field saves a valid title. */
export function TitleEditor({ conversation, className, onEnd }: TitleEditorProps) {
  const [text, setText] = useState(conversation.title);
  const [isRefused, setRefused] = useState(false);
  const hasEnded = useRef(false);
  const noteId = useId();
  const problem = problemOf(text);

  const end = ({ byKey, save }: { byKey: boolean; save: boolean }) => {
    if (hasEnded.current) return;
    hasEnded.current = true;
    if (save && !problem) void renameConversation(conversation, text.trim());
    onEnd({ byKey });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // The list handles these keys, too.
    event.stopPropagation();
    if (isComposing(event)) return;
    if (event.key === 'Enter' && problem) setRefused(true);
    else if (event.key === 'Enter') end({ byKey: true, save: true });
    if (event.key === 'Escape') end({ byKey: true, save: false });
    if (event.key === 'Enter' || event.key === 'Escape') event.preventDefault();
  };

  return (
    <div className={cn('min-w-0', className)}>
      <input
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- the user has asked to edit the title
        autoFocus
        dir="auto"
        aria-label={t('title')}
        aria-invalid={isRefused && problem ? true : undefined}
        aria-describedby={noteId}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onFocus={({ target }) => target.select()}
        onKeyDown={onKeyDown}
        onBlur={() => end({ byKey: false, save: true })}
        className="h-8 w-full rounded-sm border border-control bg-ground px-2 text-sm aria-invalid:border-danger pointer-coarse:h-11 pointer-coarse:text-base"
      />
      <p id={noteId} role="alert" className="text-xs text-danger not-empty:py-1">
        {isRefused && problem}
      </p>
    </div>
  );
}

function problemOf(text: string): string | undefined {
  const { length } = text.trim();
  if (length === 0) return t('blankTitle');
  if (length <= MAX_TITLE_LENGTH) return undefined;
  return t('longTitle', { limit: MAX_TITLE_LENGTH, length });
}
