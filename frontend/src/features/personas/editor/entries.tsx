import { t } from 'virtual:texts/personas';
import type { PersonaFields } from '@stolas/backend/contract';
import { PERSONA_COUNTS, PERSONA_LENGTHS } from '@stolas/backend/contract';
import type { ReactNode } from 'react';
import { Button } from '../../../ui/button.tsx';
import { TextArea } from './text-area.tsx';

export interface EntriesProps<T> {
  entries: readonly T[];
  readOnly: boolean;
  onChange: (entries: T[]) => void;
}

interface ListProps<T> extends EntriesProps<T> {
  title: string;
  hint?: string;
  add: string;
  empty: T;
  most: number;
  children: (entry: T, change: (entry: T) => void) => ReactNode;
}

/** Entries that are added and removed. */
export function List<T>({
  title,
  hint,
  add,
  empty,
  most,
  entries,
  readOnly,
  onChange,
  children,
}: ListProps<T>) {
  const change = (at: number) => (entry: T) => onChange(entries.with(at, entry));
  return (
    <fieldset className="grid gap-3">
      <legend className="text-sm font-medium">{title}</legend>
      {hint && <p className="text-sm text-muted">{hint}</p>}
      {entries.map((entry, at) => (
        // oxlint-disable-next-line react/no-array-index-key -- entries have no ids, and their order changes only by removal
        <div key={at} className="grid gap-3 rounded-lg border border-line p-3">
          {children(entry, change(at))}
          {!readOnly && (
            <Button
              size="sm"
              variant="ghost"
              className="justify-self-end"
              onClick={() => onChange(entries.filter((_, index) => index !== at))}
            >
              {t('remove')}
            </Button>
          )}
        </div>
      ))}
      {!readOnly && entries.length < most && (
        <Button
          size="sm"
          className="justify-self-start"
          onClick={() => onChange([...entries, empty])}
        >
          {add}
        </Button>
      )}
    </fieldset>
  );
}

type Example = PersonaFields['examples'][number];

/** Pairs of a message and the reply that the persona would write. */
export const ExampleList = (props: EntriesProps<Example>) => (
  <List
    {...props}
    title={t('examples')}
    add={t('addExample')}
    empty={{ user: '', assistant: '' }}
    most={PERSONA_COUNTS.examples}
  >
    {(entry, change) => (
      <>
        <TextArea
          label={t('exampleUser')}
          rows={2}
          value={entry.user}
          maxLength={PERSONA_LENGTHS.example}
          readOnly={props.readOnly}
          onChange={(user) => change({ ...entry, user })}
        />
        <TextArea
          label={t('exampleAssistant')}
          value={entry.assistant}
          maxLength={PERSONA_LENGTHS.example}
          readOnly={props.readOnly}
          onChange={(assistant) => change({ ...entry, assistant })}
        />
      </>
    )}
  </List>
);
