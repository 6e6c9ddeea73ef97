import { t as app } from 'virtual:texts/app';
import { t } from 'virtual:texts/shares';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/input.tsx';
import { toast } from '../../ui/toast-store.ts';
import { useCopied } from '../../ui/use-copied.ts';

/** The address of a link, to copy by a click or by hand. */
export function CopyAddress({ address }: { address: string }) {
  const { copied, copy } = useCopy(address);
  return (
    <div className="flex items-end gap-3">
      <Field
        label={t('address')}
        readOnly
        value={address}
        onFocus={({ target }) => target.select()}
        className="min-w-0 flex-1"
      />
      <Button variant="primary" onClick={copy}>
        <span aria-live="polite">{copied ? t('copied') : app('copy')}</span>
      </Button>
    </div>
  );
}

export function useCopy(address: string) {
  const [copied, onCopied] = useCopied();
  const copy = () => {
    navigator.clipboard
      .writeText(address)
      .then(onCopied, () => toast({ title: t('notCopied'), variant: 'destructive' }));
  };
  return { copied, copy };
}
