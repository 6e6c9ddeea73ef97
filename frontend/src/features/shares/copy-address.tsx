import { t as app } from 'virtual:texts/app';
import { t } from 'virtual:texts/shares';
import type { ComponentProps } from 'react';
import { copyText } from '../../lib/copy-text.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/input.tsx';
import { toastError } from '../../ui/toast-store.ts';
import { useCopied } from '../../ui/use-copied.ts';

/** The address of a link, to copy by a click or by hand. */
export const CopyAddress = ({ address }: { address: string }) => (
  <div className="flex items-end gap-3">
    <Field
      label={t('address')}
      readOnly
      value={address}
      onFocus={({ target }) => target.select()}
      className="min-w-0 flex-1"
    />
    <CopyButton variant="primary" address={address} />
  </div>
);

export function CopyButton({
  address,
  ...button
}: ComponentProps<typeof Button> & { address: string }) {
  const [copied, onCopied] = useCopied();
  const onFailure = () => toastError(t('notCopied'));
  return (
    <Button {...button} onClick={() => void copyText(address).then(onCopied, onFailure)}>
      <span aria-live="polite">{copied ? t('copied') : app('copy')}</span>
    </Button>
  );
}
