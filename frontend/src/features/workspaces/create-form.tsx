import { t } from 'virtual:texts/workspace';
import { cn } from '../../ui/cn.ts';
import { Form } from '../../ui/form.tsx';
import { showFailure } from '../auth/index.ts';
import { createWorkspace, readAgain } from './api.ts';
import { NameField } from './name-field.tsx';

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
