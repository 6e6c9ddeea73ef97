import { t as tApp } from 'virtual:texts/app';
import { t } from 'virtual:texts/auth';
import { t as tForms } from 'virtual:texts/forms';
import { type ErrorCode, MIN_PASSWORD_LENGTH } from '@stolas/backend/contract';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { ApiError } from '../../lib/api.ts';
import { focusField } from '../../lib/use-form.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/input.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { toastError } from '../../ui/toast-store.ts';
import { failureText } from './failure-text.ts';
import { register, signIn } from './session.ts';

export type Mode = 'sign-in' | 'register';

const wordsOf = (mode: Mode) =>
  mode === 'register'
    ? { submit: tApp('createAccount'), busy: t('registering'), failed: t('registerFailed') }
    : { submit: tApp('signIn'), busy: t('signingIn'), failed: t('signInFailed') };

/** The email and password form. `next` is where the user goes afterwards. */
export function CredentialsForm({ mode, next }: { mode: Mode; next: string }) {
  const words = wordsOf(mode);
  const registering = mode === 'register';
  const submit = useMutation({
    mutationFn: (form: HTMLFormElement) => send(mode, { form: new FormData(form), next }),
    onError: (error, form) => {
      const description = failureText(error);
      toastError(words.failed, description);
      const field = fieldOf(error);
      if (field !== undefined) focusField(form, field);
    },
  });
  const wrong = fieldOf(submit.error);
  const errorOf = (field: string) => (field === wrong ? failureText(submit.error) : undefined);

  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    submit.mutate(event.currentTarget);
  };

  return (
    <form onSubmit={onSubmit} className="grid gap-4">
      {registering && (
        <div className="grid grid-cols-2 gap-3">
          <Field
            label={t('firstName')}
            name="firstName"
            autoComplete="given-name"
            error={errorOf('firstName')}
          />
          <Field
            label={t('lastName')}
            name="lastName"
            autoComplete="family-name"
            error={errorOf('lastName')}
          />
        </div>
      )}
      <Field
        label={tForms('email')}
        name="email"
        type="email"
        autoComplete="username"
        required
        hint={registering ? t('emailHint') : undefined}
        error={errorOf('email')}
      />
      <PasswordField
        label={tForms('password')}
        name="password"
        autoComplete={registering ? 'new-password' : 'current-password'}
        hint={registering ? tForms('minLength', { count: MIN_PASSWORD_LENGTH }) : undefined}
        error={errorOf('password')}
      />
      <Button type="submit" variant="primary" busy={submit.isPending} className="mt-1">
        {submit.isPending ? words.busy : words.submit}
      </Button>
    </form>
  );
}

/** The fields of errors whose answer names no field. */
const FIELDS: Partial<Record<ErrorCode, string>> = {
  unauthenticated: 'password',
  email_taken: 'email',
};

/** The field that an error belongs to, if any. */
function fieldOf(error: Error | null): string | undefined {
  const body = error?.cause instanceof ApiError ? error.cause.body : undefined;
  const field = body?.details?.field;
  return typeof field === 'string' ? field : body && FIELDS[body.code];
}

function send(mode: Mode, { form, next }: { form: FormData; next: string }): Promise<void> {
  const field = (name: string) => {
    const value = form.get(name);
    return typeof value === 'string' ? value : '';
  };
  const credentials = { email: field('email'), password: field('password') };
  if (mode === 'sign-in') return signIn(credentials, next);
  const names = { firstName: field('firstName'), lastName: field('lastName') };
  return register({ ...credentials, ...names }, next);
}
