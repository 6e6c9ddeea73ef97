import { type MessageResult, MIN_PASSWORD_LENGTH } from '@stolas/backend/contract';
import { useState } from 'react';
import { Link } from 'wouter';
import { apiPost, userMessageOf } from '../../lib/api.ts';
import { useForm } from '../../lib/use-form.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/input.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { toast } from '../../ui/toast-store.ts';
import { AuthFrame } from './auth-frame.tsx';
import { isLinkOver, useLinkToken } from './link-token.ts';
import { resetPassword } from './session.ts';

/** /reset-password: asks for a link; opened by the link (`#token=`), sets the new password and signs in. */
export function ResetPasswordPage() {
  const { token, forget } = useLinkToken();
  return token === null ? (
    <AskForLink />
  ) : (
    <NewPassword key={token} token={token} onAskAgain={forget} />
  );
}

const tell = (title: string) => (error: Error) =>
  toast({
    variant: 'destructive',
    title,
    description: userMessageOf(error, 'Check your connection and try again.'),
  });

function AskForLink() {
  const [said, setSaid] = useState<string>();
  const { onSubmit, isPending, errorOf } = useForm({
    send: (value) => apiPost<MessageResult>('/api/auth/password/forgot', { email: value('email') }),
    onDone: ({ message }) => setSaid(message),
    onFailure: tell('The link was not sent'),
  });
  return (
    <AuthFrame
      title="Forgot your password?"
      line="Enter your email address, and we send you a link to choose a new one."
    >
      <form onSubmit={onSubmit} className="grid gap-4">
        <Field
          label="Email"
          name="email"
          type="email"
          autoComplete="username"
          required
          error={errorOf('email')}
        />
        <Button type="submit" variant="primary" busy={isPending}>
          Send Link
        </Button>
        <output className="min-h-10 text-center text-sm text-balance text-muted">{said}</output>
      </form>
      <BackToSignIn />
    </AuthFrame>
  );
}

function NewPassword({ token, onAskAgain }: { token: string; onAskAgain: () => void }) {
  const [refusal, setRefusal] = useState<string>();
  const { onSubmit, isPending, errorOf } = useForm({
    send: (value) =>
      resetPassword({ token, password: value('password') }).catch((error: unknown) => {
        if (!isLinkOver(error)) throw error;
        setRefusal(error.userMessage);
      }),
    onFailure: tell('The password was not changed'),
  });
  if (refusal !== undefined) return <Refused sentence={refusal} onAskAgain={onAskAgain} />;
  return (
    <AuthFrame title="Choose a new password" line="You will be signed out everywhere.">
      <form onSubmit={onSubmit} className="grid gap-4">
        <PasswordField
          label="New password"
          name="password"
          autoComplete="new-password"
          hint={`At least ${MIN_PASSWORD_LENGTH} characters.`}
          error={errorOf('password')}
        />
        <Button type="submit" variant="primary" busy={isPending}>
          Set Password
        </Button>
      </form>
      <BackToSignIn />
    </AuthFrame>
  );
}

function Refused({ sentence, onAskAgain }: { sentence: string; onAskAgain: () => void }) {
  return (
    <AuthFrame title="This link does not work">
      <p role="alert" className="mb-6 text-center text-muted">
        {sentence}
      </p>
      <Button variant="primary" className="w-full" onClick={onAskAgain}>
        Send Another Link
      </Button>
      <BackToSignIn />
    </AuthFrame>
  );
}

const BackToSignIn = () => (
  <p className="mt-6 text-center text-sm">
    <Link
      href="/login"
      className="inline-flex items-center rounded-sm px-2 py-1 text-cool underline-offset-4 hover:underline pointer-coarse:min-h-11"
    >
      Back to Sign In
    </Link>
  </p>
);
