import { t as tForms } from 'virtual:texts/forms';
import { t } from 'virtual:texts/mailedLinks';
import { type MessageResult, MIN_PASSWORD_LENGTH } from '@stolas/backend/contract';
import { useState } from 'react';
import { Link } from 'wouter';
import { fromServer } from '../../i18n/translate.ts';
import { apiPost } from '../../lib/api.ts';
import type { FormValues } from '../../lib/use-form.ts';
import { Button } from '../../ui/button.tsx';
import { Form } from '../../ui/form.tsx';
import { Field } from '../../ui/input.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { toast } from '../../ui/toast-store.ts';
import { AuthFrame } from './auth-frame.tsx';
import { isLinkOver, useLinkToken } from './link-token.ts';
import { MailedLink } from './mailed-link.tsx';
import { resetPassword } from './session.ts';
import { showFailure } from './use-action.ts';

/** /reset-password: asks for a link; opened by the link (`#token=`), sets the new password and signs in. */
export function ResetPasswordPage() {
  const { token, forget } = useLinkToken();
  return token === null ? (
    <AskForLink />
  ) : (
    <NewPassword key={token} token={token} onAskAgain={forget} />
  );
}

function AskForLink() {
  const [said, setSaid] = useState<string>();
  const [asked, setAsked] = useState<{ email: string; since: Date }>();
  return (
    <AuthFrame title={t('forgot')} line={t('forgotLine')}>
      <Form
        send={(value) => {
          const email = value('email').trim().toLowerCase();
          setAsked({ email, since: new Date() });
          return apiPost<MessageResult>('/api/auth/password/forgot', { email });
        }}
        onDone={({ message }) => setSaid(fromServer(message))}
        onFailure={showFailure(t('notSent'))}
        action={t('send')}
        isPrimary
      >
        <Field label={tForms('email')} name="email" type="email" autoComplete="username" required />
      </Form>
      <output className="mt-4 block min-h-10 text-center text-sm text-balance text-muted">
        {said}
      </output>
      {said !== undefined && asked && <MailedLink page="reset-password" {...asked} />}
      <BackToSignIn />
    </AuthFrame>
  );
}

function NewPassword({ token, onAskAgain }: { token: string; onAskAgain: () => void }) {
  const [refusal, setRefusal] = useState<string>();
  const send = (value: FormValues) =>
    resetPassword({ token, password: value('password') }).catch((error: unknown) => {
      if (!isLinkOver(error)) throw error;
      setRefusal(error.userMessage);
      return '';
    });
  if (refusal !== undefined) return <Refused sentence={refusal} onAskAgain={onAskAgain} />;
  return (
    <AuthFrame title={t('choose')} line={t('chooseLine')}>
      <Form
        send={send}
        onDone={(message) => message !== '' && toast({ title: fromServer(message) })}
        onFailure={showFailure(t('notChanged'))}
        action={t('set')}
        isPrimary
      >
        <PasswordField
          label={t('newPassword')}
          name="password"
          autoComplete="new-password"
          hint={tForms('minLength', { count: MIN_PASSWORD_LENGTH })}
        />
      </Form>
      <BackToSignIn />
    </AuthFrame>
  );
}

function Refused({ sentence, onAskAgain }: { sentence: string; onAskAgain: () => void }) {
  return (
    <AuthFrame title={t('over')}>
      <p role="alert" className="mb-6 text-center text-muted">
        {sentence}
      </p>
      <Button variant="primary" className="w-full" onClick={onAskAgain}>
        {t('sendAnother')}
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
      {t('toSignIn')}
    </Link>
  </p>
);
