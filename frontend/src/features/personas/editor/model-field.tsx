import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { t } from '../../../i18n/personas.ts';
import { modelsQuery } from '../api.ts';

interface ModelFieldProps {
  value: string | null;
  disabled: boolean;
  onChange: (model: string | null) => void;
}

/** The model that writes the persona's replies; nothing when there is only one to choose. */
export function ModelField({ value, disabled, onChange }: ModelFieldProps) {
  const id = useId();
  const { data } = useQuery(modelsQuery);
  if (!data) return null;
  const [standard = '', ...others] = data.models;
  const isMissing = value !== null && !data.models.includes(value);
  if (others.length === 0 && !isMissing) return null;
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 block text-sm font-medium">
        {t('model')}
      </label>
      <select
        id={id}
        value={value ?? ''}
        disabled={disabled}
        aria-describedby={`${id}-hint`}
        onChange={({ target }) => onChange(target.value === '' ? null : target.value)}
        className="h-10 w-full rounded-sm border border-control bg-ground px-3 text-base text-ink disabled:text-muted pointer-coarse:h-11"
      >
        <option value="">{t('standardModel', { model: standard })}</option>
        {others.map((model) => (
          <option key={model}>{model}</option>
        ))}
        {value === standard && <option>{standard}</option>}
        {isMissing && <option value={value}>{t('missingModel', { model: value })}</option>}
      </select>
      <p id={`${id}-hint`} className="mt-1 text-sm text-muted">
        {isMissing ? t('missingModelHint', { model: standard }) : t('modelHint')}
      </p>
    </div>
  );
}
