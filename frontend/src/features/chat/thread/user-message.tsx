import { t } from 'virtual:texts/chat';
import { FORMER_MEMBER, type UserMessage as Message, type Person } from '@stolas/backend/contract';
import { Pencil } from 'lucide-react';
import { memo, type ReactNode, type Ref, useEffect, useRef } from 'react';
import { Avatar } from '../../../ui/avatar.tsx';
import { Bubble } from '../../../ui/message-look.tsx';
import { UserText } from '../../../ui/user-text.tsx';
import { useUserPart } from '../../auth/index.ts';
import { MessageFiles } from '../../files/index.ts';
import { useMayWrite } from '../role.ts';
import type { PendingSend } from '../sending/outbox.ts';
import { BranchSwitcher } from './branch-switcher.tsx';
import { CopyButton } from './copy-button.tsx';
import { IdleButton } from './idle-button.tsx';
import { MessageFooter } from './message-frame.tsx';
import { UserMessageEditor } from './user-message-editor.tsx';
import { endEdit, useEdit, writeEdit } from './user-message-edits.ts';

/** What the user sent: a soft bubble at the right, and an editor in its place while it is edited. */
export const UserMessage = memo(function UserMessage({ message }: { message: Message }) {
  const userId = useUserPart(({ id }) => id);
  const edit = useEdit(message.id);
  const { editButton, focusEditButton } = useEditButton(edit !== undefined);
  const mayEdit = useMayWrite(message.conversationId);
  const author = message.author?.id === userId ? undefined : named(message.author);
  if (edit) {
    const cancel = () => {
      focusEditButton();
      endEdit(message.id);
    };
    return (
      <Frame id={message.id} author={author}>
        <UserMessageEditor message={message} edit={edit} onCancel={cancel} />
      </Frame>
    );
  }
  return (
    <Frame id={message.id} author={author}>
      <Bubble>
        {message.metadata?.erased ? (
          <em className="text-muted">{t('messageErased')}</em>
        ) : (
          <UserText text={message.content} />
        )}
      </Bubble>
      <MessageFiles metadata={message.metadata} />
      <MessageFooter
        createdAt={message.createdAt}
        end
        switcher={<BranchSwitcher message={message} />}
        actions={
          <>
            {mayEdit && <EditButton ref={editButton} message={message} />}
            <CopyButton text={message.content} />
          </>
        }
      />
    </Frame>
  );
});

/** A user whose account is gone has a name in the reader's language. */
const named = (author: Person | undefined): Person | undefined =>
  author?.name === FORMER_MEMBER ? { ...author, name: t('formerMember') } : author;

/** The same message before the server has it. */
export const PendingMessage = ({
  send,
  busy = true,
  children,
}: {
  send: PendingSend;
  busy?: boolean;
  children?: ReactNode;
}) => (
  <Frame busy={busy}>
    <Bubble>
      <UserText text={send.content} />
    </Bubble>
    {send.files && <MessageFiles metadata={{ files: [...send.files] }} />}
    {children ?? <MessageFooter createdAt={send.createdAt} end />}
  </Frame>
);

interface FrameProps {
  id?: string;
  /** Somebody else than the reader. */
  author?: Person | undefined;
  busy?: boolean;
  children: ReactNode;
}

const Frame = ({ id, author, busy, children }: FrameProps) => (
  <article
    data-role="user"
    data-message-id={id}
    aria-busy={busy}
    className="group/message flex flex-col items-end"
  >
    <h2 className="sr-only select-none">
      {author ? t('saidBy', { name: author.name }) : t('youSaid')}
    </h2>
    {author && (
      <p aria-hidden="true" className="mb-1 flex items-center gap-2 text-xs text-muted">
        <Avatar name={author.name} className="size-6 text-xs" />
        <bdi>{author.name}</bdi>
      </p>
    )}
    {children}
  </article>
);

const EditButton = ({ ref, message }: { ref: Ref<HTMLButtonElement>; message: Message }) => (
  <IdleButton
    ref={ref}
    conversationId={message.conversationId}
    label={t('edit')}
    onClick={() => writeEdit(message.id, { text: message.content })}
  >
    <Pencil aria-hidden="true" />
  </IdleButton>
);

/** The focus returns to the edit button when the edit is cancelled. */
function useEditButton(isEditing: boolean) {
  const editButton = useRef<HTMLButtonElement>(null);
  const isWanted = useRef(false);
  useEffect(() => {
    if (isEditing || !isWanted.current) return;
    isWanted.current = false;
    editButton.current?.focus();
  }, [isEditing]);
  const focusEditButton = () => {
    isWanted.current = true;
  };
  return { editButton, focusEditButton };
}
