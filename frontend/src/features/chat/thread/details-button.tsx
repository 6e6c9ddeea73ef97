import { t } from 'virtual:texts/chat';
import { Info } from 'lucide-react';
import { type ComponentType, useRef, useState } from 'react';
import { IconButton } from '../../../ui/icon-button.tsx';
import { toastError } from '../../../ui/toast-store.ts';
import type { ReplyDetails } from './reply-details.tsx';

type Details = ComponentType<Parameters<typeof ReplyDetails>[0]>;

/** Opens the charges of a reply. The code of the panel is loaded with the first one. */
export function DetailsButton({ reply }: Pick<Parameters<typeof ReplyDetails>[0], 'reply'>) {
  const button = useRef<HTMLButtonElement>(null);
  const [Panel, setPanel] = useState<Details | null>(null);
  const open = () =>
    import('./reply-details.tsx').then(
      ({ ReplyDetails: loaded }) => setPanel(() => loaded),
      () => toastError(t('detailsFailed')),
    );
  const close = () => setPanel(null);
  return (
    <>
      <IconButton
        ref={button}
        label={t('details')}
        size="sm"
        aria-haspopup="dialog"
        aria-expanded={Panel !== null}
        onClick={() => (Panel ? close() : void open())}
      >
        <Info aria-hidden="true" />
      </IconButton>
      {Panel && <Panel reply={reply} button={button} onClose={close} />}
    </>
  );
}
