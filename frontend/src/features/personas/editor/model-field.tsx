import { t } from 'virtual:texts/personas';
import { useQuery } from '@tanstack/react-query';
import { SelectField } from '../../../ui/select.tsx';
import { modelsQuery } from '../api.ts';

interface ModelFieldProps {
  value: string | null;
  disabled: boolean;
  onChange: (model: string | null) => void;
}

/** The model that writes the persona's replies; nothing when there is no choice. */
export function ModelField({ value, disabled, onChange }: ModelFieldProps) {
  const { data } = useQuery(modelsQuery);
  if (!data) return null;
  const [standard = '', ...others] = data.models;
  const isMissing = value !== null && !data.models.includes(value);
  if (others.length === 0 && !isMissing) return null;
  return (
    <SelectField
      label={t('model')}
      hint={isMissing ? t('missingModelHint', { model: standard }) : t('modelHint')}
      value={value ?? ''}
      disabled={disabled}
      onChange={({ target }) => onChange(target.value === '' ? null : target.value)}
    >
      <option value="">{t('standardModel', { model: standard })}</option>
      {others.map((model) => (
        <option key={model}>{model}</option>
      ))}
      {value === standard && <option>{standard}</option>}
      {isMissing && <option value={value}>{t('missingModel', { model: value })}</option>}
    </SelectField>
  );
}
