import { t } from 'virtual:texts/chat';
import type { User } from '@stolas/backend/contract';
import { useEffect } from 'react';
import {
  DropOverlay,
  takeAttachedFiles,
  UploadChips,
  useFileDrop,
  useUploads,
} from '../../files/index.ts';
import { addFiles, removeFile, resumeUploads } from '../sending/attachments.ts';
import { addDraftFile, allFiles, type Draft } from '../sending/drafts.ts';
import { endWaiting, useIsWaiting, usePending } from '../sending/outbox.ts';
import { send } from '../sending/send.ts';

interface ComposerFilesProps {
  user: User;
  conversationId: string;
  draft: Draft;
  /** Otherwise dropped files are ignored. */
  mayAttach: boolean;
}

/** The files of the next message, above its text; files can be dropped anywhere on the page. */
export function ComposerFiles({ user, conversationId, draft, mayAttach }: ComposerFilesProps) {
  const uploads = useUploads(draft.uploaderId);
  const pending = usePending(conversationId);
  const isOver = useFileDrop((files) => {
    if (mayAttach) void addFiles(user, conversationId, files);
  });
  useEffect(() => resumeUploads(user, conversationId), [user, conversationId]);
  // From the file library.
  useEffect(() => {
    for (const file of takeAttachedFiles()) addDraftFile(user.id, conversationId, file);
  }, [user.id, conversationId]);
  // Files that are being sent appear in their message.
  const sent = new Set(pending?.files?.map(({ id }) => id));
  const files = allFiles(draft).filter(({ id }) => !sent.has(id));
  return (
    <>
      {isOver && mayAttach && <DropOverlay />}
      {files.length + uploads.length > 0 && (
        <UploadChips
          files={files}
          uploads={uploads}
          uploaderId={draft.uploaderId}
          onRemoveFile={(file) => removeFile(user, conversationId, file)}
        />
      )}
      <WaitingNotice user={user} conversationId={conversationId} />
    </>
  );
}

/** Shown between Enter and the end of the uploads. */
function WaitingNotice({ user, conversationId }: { user: User; conversationId: string }) {
  const isWaiting = useIsWaiting(conversationId);
  return (
    <output className="block text-xs text-muted">
      {isWaiting && (
        <span className="flex flex-wrap items-center gap-x-3 px-2 pb-1">
          <span>{t('sendsWhenUploaded')}</span>
          <button type="button" className={LINK} onClick={() => void send(user, conversationId)}>
            {t('sendWithoutFiles')}
          </button>
          <button type="button" className={LINK} onClick={() => endWaiting(conversationId)}>
            {t('doNotSendYet')}
          </button>
        </span>
      )}
    </output>
  );
}

const LINK =
  'rounded-sm font-medium text-cool underline-offset-4 hover:underline pointer-coarse:min-h-11';
