import { t } from 'virtual:texts/features';
import { X } from 'lucide-react';
import { useState } from 'react';
import { IconButton } from '../../../ui/icon-button.tsx';
import { Example } from './examples.tsx';
import { linesOf } from './lines-of.ts';

/** Two memories that can be forgotten. */
export function MemoryExample() {
  const [forgotten, setForgotten] = useState<readonly string[]>([]);
  const left = linesOf(t('memoryExample')).filter((text) => !forgotten.includes(text));
  return (
    <Example>
      {left.length === 0 && <p className="text-muted">{t('memoryForgotten')}</p>}
      <ul aria-live="polite" className="grid gap-1">
        {left.map((text) => (
          <li key={text} className="flex items-center justify-between gap-3">
            {text}
            <IconButton
              label={t('memoryForget', { text })}
              onClick={() => setForgotten([...forgotten, text])}
            >
              <X aria-hidden="true" />
            </IconButton>
          </li>
        ))}
      </ul>
    </Example>
  );
}
