import { t as common } from 'virtual:texts/app';
import { t } from 'virtual:texts/chat';
import { Check, Copy } from 'lucide-react';
import { copyText } from '../../../lib/copy-text.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { toast, toastError } from '../../../ui/toast-store.ts';
import { useCopied } from '../../../ui/use-copied.ts';

interface CopyButtonProps {
  text: string;
  /** The formatted text for rich-text programs; requested after the plain text. */
  html?: (button: Element) => Promise<string>;
}

/** Copies a message as it was written. Shows a check for 2 s. */
export function CopyButton({ text, html }: CopyButtonProps) {
  const [copied, onCopied] = useCopied();
  const copy = async (button: Element) => {
    try {
      await write(text, html?.(button));
      onCopied();
      toast({ title: t('copiedNotice') });
    } catch {
      toastError(t('copyFailedTitle'), t('copyFailedText'));
    }
  };

  const Icon = copied ? Check : Copy;
  return (
    <IconButton
      label={copied ? t('copied') : common('copy')}
      size="sm"
      onClick={({ currentTarget }) => void copy(currentTarget)}
    >
      <Icon aria-hidden="true" className={copied ? 'text-success' : undefined} />
    </IconButton>
  );
}

/** Browsers ask for the promise itself: they write only while they handle the click. */
async function write(text: string, html?: Promise<string>): Promise<void> {
  if (!html || typeof ClipboardItem === 'undefined') return copyText(text);
  const blobOf = (content: string, type: string) => new Blob([content], { type });
  await navigator.clipboard.write([
    new ClipboardItem({
      'text/plain': blobOf(text, 'text/plain'),
      'text/html': html.then((content) => blobOf(content, 'text/html')),
    }),
  ]);
}
