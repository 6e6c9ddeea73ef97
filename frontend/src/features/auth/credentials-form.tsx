import { MIN_PASSWORD_LENGTH } from '@stolas/backend/contract';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/input.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { toast } from '../../ui/toast-store.ts';
import { failureText } from './failure-text.ts';
import { register, signIn } from './session.ts';

export type Mode = 'sign-in' | 'register';

const WORDS = {
  'sign-in': { submit: 'Sign In', busy: 'Signing in...', failed: 'Login Failed' },
  register: {
    submit: 'Create Account',
    busy: 'Creating Account...',
    failed: 'Registration Failed',
  },
};

/** The e-mail and password form. `next` is where the person goes afterwards. */
export function CredentialsForm({ mode, next }: { mode: Mode; next: string }) {
  const words = WORDS[mode];
  const registering = mode === 'register';
  const submit = useMutation({
    mutationFn: (form: FormData) => send(mode, form, next),
    onError: (error) =>
      toast({
        variant: 'destructive',
        title: words.failed,
        description: failureText(error),
      }),
  });

  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    submit.mutate(new FormData(event.currentTarget));
  };

  return (
    <form onSubmit={onSubmit} className="grid gap-4">
      {registering && (
        <div className="grid grid-cols-2 gap-3">
          <Field label="First Name" name="firstName" autoComplete="given-name" />
          <Field label="Last Name" name="lastName" autoComplete="family-name" />
        </div>
      )}
      <Field label="Email" name="email" type="email" autoComplete="username" required />
      <PasswordField
        label="Password"
        name="password"
        autoComplete={registering ? 'new-password' : 'current-password'}
        hint={registering ? `At least ${MIN_PASSWORD_LENGTH} characters.` : undefined}
      />
      <Button type="submit" variant="primary" busy={submit.isPending} className="mt-1">
        {submit.isPending ? words.busy : words.submit}
      </Button>
    </form>
  );
}

function send(mode: Mode, form: FormData, next: string): Promise<void> {
  const field = (name: string) => {
    const value = form.get(name);
    return typeof value === 'string' ? value : '';
  };
  const credentials = { email: field('email'), password: field('password') };
  if (mode === 'sign-in') return signIn(credentials, next);
  const names = { firstName: field('firstName'), lastName: field('lastName') };
  return register({ ...credentials, ...names }, next);
}
