import { MIN_PASSWORD_LENGTH } from '@stolas/backend/contract';
import { useMutation } from '@tanstack/react-query';
import { EyeIcon, EyeOff } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/input.tsx';
import { toast } from '../../ui/toast-store.ts';
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

/** Thrown by a fetch that never got an answer; its text is the browser's, not for people. */
const isNetworkError = (error: Error): boolean => error instanceof TypeError;

/** The e-mail and password form. `next` is where the person goes afterwards. */
export function CredentialsForm({ mode, next }: { mode: Mode; next: string }) {
  const words = WORDS[mode];
  const submit = useMutation({
    mutationFn: (form: FormData) => send(mode, form, next),
    onError: (error) =>
      toast({
        variant: 'destructive',
        title: words.failed,
        description:
          isNetworkError(error) || !error.message
            ? 'Please try again or use another login method.'
            : error.message,
      }),
  });

  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    submit.mutate(new FormData(event.currentTarget));
  };

  return (
    <form onSubmit={onSubmit} className="grid gap-4">
      {mode === 'register' && (
        <div className="grid grid-cols-2 gap-3">
          <Field label="First Name" name="firstName" autoComplete="given-name" />
          <Field label="Last Name" name="lastName" autoComplete="family-name" />
        </div>
      )}
      <Field label="Email" name="email" type="email" autoComplete="email" required />
      <PasswordField mode={mode} />
      <Button type="submit" variant="primary" busy={submit.isPending} className="mt-1">
        {submit.isPending ? words.busy : words.submit}
      </Button>
    </form>
  );
}

function PasswordField({ mode }: { mode: Mode }) {
  const [shown, setShown] = useState(false);
  const Icon = shown ? EyeOff : EyeIcon;
  return (
    <Field
      label="Password"
      name="password"
      type={shown ? 'text' : 'password'}
      autoComplete={mode === 'register' ? 'new-password' : 'current-password'}
      hint={mode === 'register' ? `At least ${MIN_PASSWORD_LENGTH} characters.` : undefined}
      required
      end={
        <button
          type="button"
          aria-label={shown ? 'Hide password' : 'Show password'}
          onClick={() => setShown(!shown)}
          className="grid w-11 place-content-center rounded-sm text-muted hover:text-ink"
        >
          <Icon aria-hidden="true" className="size-4.5" />
        </button>
      }
    />
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
