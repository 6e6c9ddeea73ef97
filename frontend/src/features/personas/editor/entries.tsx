import { t as common } from 'virtual:texts/app';
import { t } from 'virtual:texts/personas';
import { PERSONA_COUNTS, PERSONA_LENGTHS } from '@stolas/backend/contract';
import { type ReactNode, useState } from 'react';
import { randomUuid } from '../../../lib/uuid.ts';
import { Button } from '../../../ui/button.tsx';
import { type Example, lacksAssistant, lacksUser, refuseWhile } from './fields.ts';
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
  // Entries have no ids: without keys of their own, what stays would be drawn in the place of what was removed.
  const [keys, setKeys] = useState(() => entries.map(randomUuid));
  const change = (at: number) => (entry: T) => onChange(entries.with(at, entry));
  const remove = (at: number) => {
    setKeys(keys.toSpliced(at, 1));
    onChange(entries.toSpliced(at, 1));
  };
  const append = () => {
    setKeys([...keys, randomUuid()]);
    onChange([...entries, empty]);
  };
  return (
    <fieldset className="grid gap-3">
      <legend className="text-sm font-medium">{title}</legend>
      {hint && <p className="text-sm text-muted">{hint}</p>}
      {entries.map((entry, at) => (
        <div key={keys[at]} className="grid gap-3 rounded-lg border border-line p-3">
          {children(entry, change(at))}
          {!readOnly && (
            <Button
              size="sm"
              variant="ghost"
              className="justify-self-end"
              onClick={() => remove(at)}
            >
              {common('remove')}
            </Button>
          )}
        </div>
      ))}
      {!readOnly && entries.length < most && (
        <Button size="sm" className="justify-self-start" onClick={append}>
          {add}
        </Button>
      )}
    </fieldset>
  );
}

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
          ref={refuseWhile(lacksUser(entry))}
          label={t('exampleUser')}
          rows={2}
          value={entry.user}
          maxLength={PERSONA_LENGTHS.example}
          readOnly={props.readOnly}
          onChange={(user) => change({ ...entry, user })}
        />
        <TextArea
          ref={refuseWhile(lacksAssistant(entry))}
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
