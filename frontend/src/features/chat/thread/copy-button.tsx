import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { IconButton } from '../../../ui/icon-button.tsx';
import { toast } from '../../../ui/toast-store.ts';

// docs/product.md, 'Chat'.
const CHECK_MS = 2_000;

/** Copies a message as it was written. Shows a check for 2 s. */
export function CopyButton({ text }: { text: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), CHECK_MS);
    return () => clearTimeout(timer);
  }, [copied]);

  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      toast({ title: 'Copied to clipboard' });
    } catch {
      toast({
        title: 'Copying is not possible here',
        description: 'Select the text and copy it with the keyboard.',
        variant: 'destructive',
      });
    }
  };

  const Icon = copied ? Check : Copy;
  return (
    <IconButton label={copied ? 'Copied' : 'Copy'} size="sm" onClick={() => void copy()}>
      <Icon aria-hidden="true" className={copied ? 'text-success' : undefined} />
    </IconButton>
  );
}
