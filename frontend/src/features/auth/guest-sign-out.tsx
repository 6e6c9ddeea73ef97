import { t } from 'virtual:texts/app';
import { Link } from 'wouter';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions, DialogContent } from '../../ui/dialog.tsx';
import { closeGuestSignOut, useGuestSignOut, useSignOutNow } from './hooks.ts';

/** Asks a guest who signs out: there is no way back to the conversations. */
export function GuestSignOut() {
  const { isOpen } = useGuestSignOut();
  const { signOut, isPending } = useSignOutNow();
  return (
    <Dialog open={isOpen} onOpenChange={closeGuestSignOut}>
      <DialogContent title={t('guestSignOut')} description={t('guestSignOutNote')}>
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
      </DialogContent>
    </Dialog>
  );
}
