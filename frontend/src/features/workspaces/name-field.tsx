import { t } from 'virtual:texts/workspace';
import { MAX_WORKSPACE_NAME_LENGTH } from '@stolas/backend/contract';
import { Field } from '../../ui/input.tsx';

/** The name of a workspace in a form, as `name`. */
export const NameField = ({ name }: { name?: string }) => (
  <Field
    label={t('name')}
    name="name"
    defaultValue={name}
    required
    maxLength={MAX_WORKSPACE_NAME_LENGTH}
    autoComplete="off"
  />
);
