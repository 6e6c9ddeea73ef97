import { t } from 'virtual:texts/personas';
import type { PersonaFields, Trait } from '@stolas/backend/contract';
import { TRAITS } from '@stolas/backend/contract';
import { useId } from 'react';

/** The neutral value: the server leaves the trait out of the prompt. */
const UNSET = 50;

interface TraitsProps {
  traits: PersonaFields['traits'];
  disabled: boolean;
  onChange: (traits: PersonaFields['traits']) => void;
}

/** One slider for each trait, with the meanings of its ends. */
export function Traits({ traits, disabled, onChange }: TraitsProps) {
  return (
    <fieldset disabled={disabled}>
      <legend className="mb-1.5 text-sm font-medium">{t('traits')}</legend>
      <p className="mb-3 text-sm text-muted">{t('traitsHint')}</p>
      <div className="grid gap-x-6 gap-y-3 sm:grid-cols-2">
        {TRAITS.map((trait) => (
          <TraitSlider
            key={trait}
            trait={trait}
            value={traits[trait]}
            onChange={(value) => onChange({ ...traits, [trait]: value })}
          />
        ))}
      </div>
    </fieldset>
  );
}

interface TraitSliderProps {
  trait: Trait;
  value: number;
  onChange: (value: number) => void;
}

function TraitSlider({ trait, value, onChange }: TraitSliderProps) {
  const id = useId();
  const said = value === UNSET ? t('traitUnset') : String(value);
  return (
    <div>
      <label htmlFor={id} className="flex justify-between text-sm">
        {t(trait)}
        <output htmlFor={id} className="text-muted tabular-nums">
          {said}
        </output>
      </label>
      <input
        id={id}
        type="range"
        min={0}
        max={100}
        step={5}
        value={value}
        aria-valuetext={said}
        aria-describedby={`${id}-ends`}
        onChange={({ target }) => onChange(Number(target.value))}
        className="h-6 w-full accent-accent pointer-coarse:h-11"
      />
      <p id={`${id}-ends`} className="flex justify-between gap-3 text-xs text-muted">
        <span>{t(`${trait}Low`)}</span>
        <span className="text-end">{t(`${trait}High`)}</span>
      </p>
    </div>
  );
}
