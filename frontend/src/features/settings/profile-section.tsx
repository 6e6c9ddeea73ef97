import { t } from 'virtual:texts/settings';
import type { ProfileBody, User } from '@stolas/backend/contract';
import { apiPatch } from '../../lib/api.ts';
import { queryClient, userQuery } from '../../lib/query-client.ts';
import type { FormValues } from '../../lib/use-form.ts';
import { Form } from '../../ui/form.tsx';
import { Field } from '../../ui/input.tsx';
import { toast } from '../../ui/toast-store.ts';
import { showFailure } from '../auth/index.ts';
import { Section } from './section.tsx';

const saveNames = (value: FormValues) => {
  const names: ProfileBody = { firstName: value('firstName'), lastName: value('lastName') };
  return apiPatch<User>('/api/auth/user', names);
};

export const ProfileSection = ({ user }: { user: User }) => (
  <Section title={t('profile')} description={t('profileNote')}>
    <Form
      send={saveNames}
      onDone={(changed) => {
        queryClient.setQueryData(userQuery.queryKey, changed);
        toast({ title: t('nameSaved') });
      }}
      onFailure={showFailure(t('nameNotSaved'))}
      action={t('saveName')}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label={t('firstName')}
          name="firstName"
          autoComplete="given-name"
          defaultValue={user.firstName}
        />
        <Field
          label={t('lastName')}
          name="lastName"
          autoComplete="family-name"
          defaultValue={user.lastName}
        />
      </div>
    </Form>
  </Section>
);
