import { t } from 'virtual:texts/personas';
import type { PersonaFields, Trait } from '@stolas/backend/contract';
import { TRAITS } from '@stolas/backend/contract';
import { useId } from 'react';

const nameOf: Record<Trait, () => string> = {
  warmth: () => t('warmth'),
  formality: () => t('formality'),
  verbosity: () => t('verbosity'),
  directness: () => t('directness'),
  humour: () => t('humour'),
};

interface TraitsProps {
  traits: PersonaFields['traits'];
  disabled: boolean;
  onChange: (traits: PersonaFields['traits']) => void;
}

/** One slider for each trait. */
export function Traits({ traits, disabled, onChange }: TraitsProps) {
  const id = useId();
  return (
    <fieldset className="grid gap-3 sm:grid-cols-2" disabled={disabled}>
      <legend className="mb-1.5 text-sm font-medium">{t('traits')}</legend>
      {TRAITS.map((trait) => (
        <div key={trait}>
          <label htmlFor={id + trait} className="flex justify-between text-sm">
            {nameOf[trait]()}
            <output htmlFor={id + trait} className="text-muted">
              {traits[trait]}
            </output>
          </label>
          <input
            id={id + trait}
            type="range"
            min={0}
            max={100}
            step={5}
            value={traits[trait]}
            onChange={({ target }) => onChange({ ...traits, [trait]: Number(target.value) })}
            className="h-6 w-full accent-accent pointer-coarse:h-11"
          />
        </div>
      ))}
    </fieldset>
  );
}
