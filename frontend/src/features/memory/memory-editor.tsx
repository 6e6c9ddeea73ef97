import { t } from 'virtual:texts/memory';
import { MAX_MEMORY_LENGTH, type Memory } from '@stolas/backend/contract';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Input } from '../../ui/input.tsx';
import { editMemory, useAct } from './api.ts';

/** Changes the text of a memory. The server refuses if the user has not seen the current version. */
export function MemoryEditor({ memory, onEnd }: { memory: Memory; onEnd: () => void }) {
  const { id, version } = memory;
  const [text, setText] = useState(memory.text);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const { mutate, isPending } = useAct(() => editMemory(id, { version, text }));
  return (
    <form
      className="grid flex-1 gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== '') mutate(undefined, { onSuccess: onEnd });
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
          {t('cancel')}
        </Button>
        <Button size="sm" type="submit" variant="primary" busy={isPending}>
          {t('save')}
        </Button>
      </div>
    </form>
  );
}
