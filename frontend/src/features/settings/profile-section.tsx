import type { ProfileBody, User } from '@stolas/backend/contract';
import { t } from '../../i18n/settings.ts';
import { apiPatch } from '../../lib/api.ts';
import { queryClient, userQuery } from '../../lib/query-client.ts';
import { useForm } from '../../lib/use-form.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/input.tsx';
import { toast } from '../../ui/toast-store.ts';
import { showFailure } from '../auth/index.ts';
import { Section } from './section.tsx';

export function ProfileSection({ user }: { user: User }) {
  const { onSubmit, isPending, errorOf } = useForm({
    send: (value) => {
      const names: ProfileBody = { firstName: value('firstName'), lastName: value('lastName') };
      return apiPatch<User>('/api/auth/user', names);
    },
    onDone: (changed) => {
      queryClient.setQueryData(userQuery.queryKey, changed);
      toast({ title: t('nameSaved') });
    },
    onFailure: showFailure(t('nameNotSaved')),
  });
  return (
    <Section title={t('profile')} description={t('profileNote')}>
      <form onSubmit={onSubmit} className="grid gap-4">
        <div className="grid gap-4 sm:grid-cols-2">
          <Field
            label={t('firstName')}
            name="firstName"
            autoComplete="given-name"
            defaultValue={user.firstName}
            error={errorOf('firstName')}
          />
          <Field
            label={t('lastName')}
            name="lastName"
            autoComplete="family-name"
            defaultValue={user.lastName}
            error={errorOf('lastName')}
          />
        </div>
        <Button type="submit" className="justify-self-start" busy={isPending}>
          {t('saveName')}
        </Button>
      </form>
    </Section>
  );
}
