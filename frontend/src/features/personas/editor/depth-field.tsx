import { DEPTHS, type Depth } from '@stolas/backend/contract';
import { useId } from 'react';
import { t as depthText } from '../../../i18n/depth.ts';
import { t } from '../../../i18n/personas.ts';

interface DepthFieldProps {
  value: Depth | null;
  disabled: boolean;
  onChange: (depth: Depth | null) => void;
}

/** The depth that choosing the persona sets. */
export function DepthField({ value, disabled, onChange }: DepthFieldProps) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 block text-sm font-medium">
        {depthText('label')}
      </label>
      <select
        id={id}
        value={value ?? ''}
        disabled={disabled}
        aria-describedby={`${id}-hint`}
        onChange={({ target }) => onChange(target.value === '' ? null : (target.value as Depth))}
        className="h-10 w-full rounded-sm border border-control bg-ground px-3 text-base text-ink disabled:text-muted pointer-coarse:h-11"
      >
        <option value="">{t('anyDepth')}</option>
        {DEPTHS.map((depth) => (
          <option key={depth} value={depth}>
            {depthText(depth)}
          </option>
        ))}
      </select>
      <p id={`${id}-hint`} className="mt-1 text-sm text-muted">
        {t('depthHint')}
      </p>
    </div>
  );
}
