import { t } from 'virtual:texts/chat';
import type { Person } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type RefObject, useId, useState } from 'react';
import { fold } from '../../../lib/fold.ts';
import { cn } from '../../../ui/cn.ts';
import { peopleQuery } from '../api.ts';
import { writeDraftText } from '../sending/drafts.ts';
import { isComposing } from '../text-box.ts';
import { useConversationPart } from '../use-conversation.ts';

/** Names in the list; typing finds the others. */
const MAX_LISTED = 8;
/** An @ that follows no word, and what stands behind it up to the caret. */
const TYPED = /(?:^|[^\p{L}\p{M}\p{N}_])@([^@\n]{0,60})$/u;

interface Typed {
  /** Where the @ stands. */
  at: number;
  name: string;
}

function typedAt(text: string, caret: number): Typed | null {
  const name = TYPED.exec(text.slice(Math.max(0, caret - 80), caret))?.[1];
  return name === undefined ? null : { at: caret - name.length - 1, name };
}

const matching = (people: readonly Person[], name: string): readonly Person[] =>
  people.filter((person) => fold(person.name).startsWith(fold(name))).slice(0, MAX_LISTED);

interface Box {
  userId: string;
  conversationId: string;
  box: RefObject<HTMLTextAreaElement | null>;
  text: string;
}

/** Offers the people of a shared conversation behind an @. The focus stays in the text box. */
export function useMentions({ userId, conversationId, box, text }: Box) {
  const isShared = useConversationPart(conversationId, ({ shared }) => shared !== undefined);
  const [caret, setCaret] = useState(0);
  const [index, setIndex] = useState(0);
  const [closedAt, setClosedAt] = useState<number>();
  const listId = useId();
  const typed = isShared ? typedAt(text, caret) : null;
  const isWanted = typed !== null && typed.at !== closedAt;
  const { data } = useQuery({ ...peopleQuery(conversationId), enabled: isWanted });
  const people = isWanted ? matching(data?.people ?? [], typed.name) : [];
  const active = people[Math.min(index, people.length - 1)];

  const choose = ({ name }: Person) => {
    if (!typed) return;
    const before = `${text.slice(0, typed.at)}@${name} `;
    writeDraftText(userId, conversationId, before + text.slice(caret));
    setCaret(before.length);
    // The box has the text after the next render.
    requestAnimationFrame(() => box.current?.setSelectionRange(before.length, before.length));
  };
  const move = (by: number) => {
    const at = active ? people.indexOf(active) : 0;
    setIndex((at + by + people.length) % people.length);
  };
  const keys: Record<string, () => void> = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: () => active && choose(active),
    Tab: () => active && choose(active),
    Escape: () => setClosedAt(typed?.at),
  };

  return {
    onCaret: ({ selectionStart, value }: HTMLTextAreaElement) => {
      // The composer would be drawn twice for each key.
      if (!isShared) return;
      setCaret(selectionStart);
      if (typedAt(value, selectionStart)?.at !== closedAt) setClosedAt(undefined);
    },
    /** @returns whether the key was for the list */
    onKeyDown: (event: KeyboardEvent): boolean => {
      const act = keys[event.key];
      if (!active || !act || isComposing(event) || event.shiftKey) return false;
      event.preventDefault();
      event.stopPropagation();
      act();
      return true;
    },
    aria: active && {
      'aria-autocomplete': 'list' as const,
      'aria-controls': listId,
      'aria-activedescendant': `${listId}-${active.id}`,
    },
    list: active && (
      <PeopleList {...{ listId, people, active }} onActive={setIndex} onChoose={choose} />
    ),
  };
}

interface PeopleListProps {
  listId: string;
  people: readonly Person[];
  active: Person;
  onActive: (index: number) => void;
  onChoose: (person: Person) => void;
}

const PeopleList = ({ listId, people, active, onActive, onChoose }: PeopleListProps) => (
  <div
    id={listId}
    // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a select would take the focus
    role="listbox"
    aria-label={t('mentionList')}
    className="absolute bottom-full left-0 z-10 mb-1 max-h-64 w-64 max-w-full overflow-y-auto rounded-md border border-line bg-raised p-1 shadow-float"
  >
    {people.map((person, index) => (
      // The keys are those of the text box, which keeps the focus.
      // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
      <div
        key={person.id}
        id={`${listId}-${person.id}`}
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- as above
        role="option"
        aria-selected={person === active}
        onPointerMove={() => onActive(index)}
        // The box keeps the focus and its caret.
        onPointerDown={(event) => event.preventDefault()}
        onClick={() => onChoose(person)}
        className={cn(
          'flex min-h-9 cursor-pointer items-center truncate rounded-sm px-3 text-sm pointer-coarse:min-h-11',
          person === active && 'bg-hover',
        )}
      >
        <bdi className="truncate">{person.name}</bdi>
      </div>
    ))}
  </div>
);
