import { t as depthText } from 'virtual:texts/depth';
import { t } from 'virtual:texts/features';
import { DEFAULT_DEPTH, DEPTHS, type Depth } from '@stolas/backend/contract';
import { useState } from 'react';
import { Example } from './examples.tsx';

const MEANING = {
  fast: 'depthFast',
  balanced: 'depthBalanced',
  deep: 'depthDeep',
} as const satisfies Record<Depth, string>;

/** The switch, with the meaning of each position. */
export function DepthExample() {
  const [chosen, choose] = useState<Depth>(DEFAULT_DEPTH);
  return (
    <Example>
      <fieldset>
        <legend className="sr-only">{t('depthPick')}</legend>
        <div className="flex flex-wrap gap-x-5">
          {DEPTHS.map((depth) => (
            <label key={depth} className="flex min-h-11 items-center gap-2">
              <input
                type="radio"
                name="depth"
                checked={depth === chosen}
                onChange={() => choose(depth)}
                className="size-4 accent-accent"
              />
              {depthText(depth)}
            </label>
          ))}
        </div>
      </fieldset>
      <p aria-live="polite" className="mt-1 text-muted">
        {t(MEANING[chosen])}
      </p>
    </Example>
  );
}
