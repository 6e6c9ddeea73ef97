import { t as common } from 'virtual:texts/app';
import { t } from 'virtual:texts/memory';
import { MAX_MEMORY_LENGTH, type Memory } from '@stolas/backend/contract';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Input } from '../../ui/input.tsx';
import { editMemory, useAct } from './api.ts';

/** Changes the text of a memory. The server refuses if the user has not seen the current version. */
export function MemoryEditor({ memory, onEnd }: { memory: Memory; onEnd: () => void }) {
  const { id } = memory;
  const [text, setText] = useState(memory.text);
  // The version whose text was opened, until a refusal has told the user that there is another one.
  const [opened, setOpened] = useState<number | null>(memory.version);
  const version = opened ?? memory.version;
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const { mutate, isPending } = useAct(() => editMemory(id, { version, text }));
  return (
    <form
      className="grid flex-1 gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '')
          mutate(undefined, { onSuccess: onEnd, onError: () => setOpened(null) });
      }}
    >
      <Input
        ref={input}
        aria-label={t('text')}
        value={text}
        maxLength={MAX_MEMORY_LENGTH}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={({ key }) => key === 'Escape' && onEnd()}
      />
      <div className="flex gap-2">
        <Button size="sm" onClick={onEnd}>
          {common('cancel')}
        </Button>
        <Button size="sm" type="submit" variant="primary" busy={isPending}>
          {common('save')}
        </Button>
      </div>
    </form>
  );
}
