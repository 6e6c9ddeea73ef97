import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { TAGLINE } from '../../lib/product.ts';
import { Eye } from '../../ui/eye.tsx';
import { Sky } from '../../ui/sky.tsx';
import { toast } from '../../ui/toast-store.ts';
import { CredentialsForm, type Mode } from './credentials-form.tsx';
import { useUser } from './hooks.ts';
import { ProviderButtons } from './provider-buttons.tsx';
import { startGuest } from './session.ts';

/** /login (specification section 2). `?plan=` brings a person back to the plan they chose. */
export function LoginPage() {
  const { user } = useUser();
  const [params] = useSearchParams();
  const [mode, setMode] = useState<Mode>(
    user?.subscriptionStatus === 'guest' ? 'register' : 'sign-in',
  );
  const registering = mode === 'register';
  const plan = params.get('plan');
  const next = plan ? `/subscription?plan=${encodeURIComponent(plan)}` : '/subscription';

  return (
    <div className="relative isolate grid min-h-dvh place-items-center px-5 py-10">
      <Sky />
      <main className="w-full max-w-sm animate-rise">
        <header className="mb-8 grid justify-items-center gap-1 text-center">
          <Link href="/" className="mb-2 rounded-sm text-accent" aria-label="STOLAS, home">
            <Eye className="size-14" />
          </Link>
          <h1 className="text-xl font-semibold">STOLAS</h1>
          <p className="text-sm text-muted">{TAGLINE}</p>
        </header>
        <ProviderButtons />
        <Divider />
        <CredentialsForm key={mode} mode={mode} next={next} />
        <div className="mt-6 grid justify-items-center gap-2 text-sm">
          <LinkButton onClick={() => setMode(registering ? 'sign-in' : 'register')}>
            {registering ? 'Already have an account? Sign in' : "Don't have an account? Sign up"}
          </LinkButton>
          <GuestLink />
        </div>
      </main>
    </div>
  );
}

function GuestLink() {
  const guest = useMutation({
    mutationFn: startGuest,
    onError: () =>
      toast({
        variant: 'destructive',
        title: 'Failed to Create Guest Session',
        description: 'Please try again later.',
      }),
  });
  return (
    <LinkButton onClick={() => guest.mutate()} disabled={guest.isPending}>
      Continue as Guest (Demo Mode)
    </LinkButton>
  );
}

function LinkButton(props: { onClick: () => void; disabled?: boolean; children: string }) {
  return (
    <button
      type="button"
      className="rounded-sm px-2 py-1 text-cool underline-offset-4 hover:underline disabled:opacity-50 pointer-coarse:min-h-11"
      {...props}
    />
  );
}

const Divider = () => (
  <div className="my-6 flex items-center gap-3 text-xs text-muted" aria-hidden="true">
    <span className="h-px flex-1 bg-line" />
    or
    <span className="h-px flex-1 bg-line" />
  </div>
);
