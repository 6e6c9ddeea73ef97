import { t } from 'virtual:texts/app';
import { Link } from 'wouter';
import { Button } from '../../ui/button.tsx';
import { OpenDialog } from '../../ui/dialog.tsx';
import { DialogActions } from '../../ui/dialog-actions.tsx';
import { closeGuestSignOut, useSignOutNow } from './hooks.ts';

/** Asks a guest who signs out: there is no way back to the conversations. */
export function GuestSignOut() {
  const { signOut, isPending } = useSignOutNow();
  return (
    <OpenDialog
      title={t('guestSignOut')}
      description={t('guestSignOutNote')}
      onClose={closeGuestSignOut}
    >
      <DialogActions>
        <Button variant="danger" busy={isPending} onClick={signOut}>
          {t('signOut')}
        </Button>
        <Button asChild variant="primary">
          <Link href="/login" onClick={closeGuestSignOut}>
            {t('createAccount')}
          </Link>
        </Button>
      </DialogActions>
    </OpenDialog>
  );
}
