import { t as app } from 'virtual:texts/app';
import { t } from 'virtual:texts/shares';
import type { CreatedShare, SharePreview } from '@stolas/backend/contract';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { FileText } from 'lucide-react';
import { useState } from 'react';
import { userMessageOf } from '../../lib/api.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { DialogChoice, OpenDialog } from '../../ui/dialog.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { useAction } from '../auth/index.ts';
import { createShare, previewQuery, readSharesAgain } from './api.ts';
import { ConversationLinks } from './conversation-links.tsx';
import { CopyAddress } from './copy-address.tsx';
import type { ShareTarget } from './dialog-store.ts';
import { bodyOf, FIRST_CHOICES, ShareForm } from './share-form.tsx';
import { SharedMessages } from './shared-messages.tsx';

interface ShareDialogProps {
  target: ShareTarget;
  onClose: () => void;
}

/** Makes a public link, and shows before what others will see. */
export function ShareDialog({ target, onClose }: ShareDialogProps) {
  const [made, setMade] = useState<CreatedShare>();
  const title = 'replyId' in target ? t('ofReply') : t('ofConversation');
  return (
    <OpenDialog title={made ? t('made') : title} className="max-w-2xl" onClose={onClose}>
      {made ? <Made share={made} /> : <Making target={target} onMade={setMade} />}
    </OpenDialog>
  );
}

const Made = ({ share: { url } }: { share: CreatedShare }) => (
  <>
    <div className="mt-4 grid gap-4">
      <CopyAddress address={url} />
      <p className="text-sm text-muted">{t('revokeInSettings')}</p>
    </div>
    <DialogChoice cancel={app('close')} />
  </>
);

interface MakingProps {
  target: ShareTarget;
  onMade: (share: CreatedShare) => void;
}

function Making({ target, onMade }: MakingProps) {
  const [choices, setChoices] = useState(FIRST_CHOICES);
  const { include } = choices;
  const preview = useQuery(previewQuery({ ...target, include }));
  const { run, isPending } = useAction({
    run: () =>
      createShare({ ...target, ...bodyOf(choices), revision: preview.data?.revision }).catch(
        (error: unknown) => {
          // The conversation may have changed: the preview shows what it is now.
          void preview.refetch();
          throw error;
        },
      ),
    onDone: (share) => {
      readSharesAgain();
      onMade(share);
    },
    failed: t('notMade'),
  });
  return (
    <>
      <div className="mt-4 grid min-w-0 gap-5">
        <ShareForm choices={choices} onChange={setChoices} />
        <Preview preview={preview} />
        {'conversationId' in target && <ConversationLinks {...target} />}
      </div>
      <DialogChoice>
        <Button variant="primary" busy={isPending} disabled={!preview.data} onClick={run}>
          {t('make')}
        </Button>
      </DialogChoice>
    </>
  );
}

function Preview({ preview }: { preview: UseQueryResult<SharePreview> }) {
  const { data, error, refetch } = preview;
  if (error)
    return (
      <ErrorState
        title={t('noPreview')}
        description={userMessageOf(error, app('checkConnection'))}
        onRetry={() => void refetch()}
      />
    );
  if (!data) return <Skeleton className="h-40" />;
  return (
    <section aria-label={t('preview')} className="grid min-w-0 gap-3">
      <h3 className="text-sm font-medium">{t('preview')}</h3>
      {data.quoting > 0 && (
        <Banner tone="warning" icon={<FileText aria-hidden="true" />}>
          {t('quoting', { count: data.quoting })}
        </Banner>
      )}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard */}
      <div tabIndex={0} className={PREVIEW}>
        {data.title && (
          <p className="mb-4 font-semibold">
            <bdi>{data.title}</bdi>
          </p>
        )}
        <SharedMessages content={data} />
      </div>
    </section>
  );
}

const PREVIEW =
  '@container max-h-80 min-w-0 overflow-y-auto overscroll-contain rounded-sm border border-line bg-ground p-4';
