import { t as depthText } from 'virtual:texts/depth';
import { t } from 'virtual:texts/personas';
import { DEPTHS, type Depth } from '@stolas/backend/contract';
import { SelectField } from '../../../ui/select.tsx';

interface DepthFieldProps {
  value: Depth | null;
  disabled: boolean;
  onChange: (depth: Depth | null) => void;
}

/** The depth that choosing the persona sets. */
export const DepthField = ({ value, disabled, onChange }: DepthFieldProps) => (
  <SelectField
    label={depthText('label')}
    hint={t('depthHint')}
    value={value ?? ''}
    disabled={disabled}
    onChange={({ target }) => onChange(target.value === '' ? null : (target.value as Depth))}
  >
    <option value="">{t('anyDepth')}</option>
    {DEPTHS.map((depth) => (
      <option key={depth} value={depth}>
        {depthText(depth)}
      </option>
    ))}
  </SelectField>
);
