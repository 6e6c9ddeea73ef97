import { t } from 'virtual:texts/workspace';
import { MAX_WORKSPACE_NAME_LENGTH } from '@stolas/backend/contract';
import { cn } from '../../ui/cn.ts';
import { Form } from '../../ui/form.tsx';
import { Field } from '../../ui/input.tsx';
import { showFailure } from '../auth/index.ts';
import { createWorkspace, readAgain } from './api.ts';

/** Creates the user's own workspace. */
export const CreateForm = ({ isFirst }: { isFirst: boolean }) => (
  <section className={cn('max-w-md', isFirst ? 'mt-6' : 'mt-8 border-t border-line pt-8')}>
    <p className="mb-5 text-sm text-muted">{t('createIntro')}</p>
    <Form
      send={(value) => createWorkspace(value('name'))}
      onDone={readAgain}
      onFailure={showFailure(t('changeFailed'))}
      action={t('create')}
      isPrimary={isFirst}
    >
      <NameField />
    </Form>
  </section>
);

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
