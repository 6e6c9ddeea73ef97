import { t } from 'virtual:texts/sharedPage';
import type {
  SharedContent,
  SharedFile,
  SharedMessage,
  SharedPart,
  SharedSource,
} from '@stolas/backend/contract';
import { ChevronRight, Paperclip } from 'lucide-react';
import { useState } from 'react';
import { Markdown } from '../../ui/markdown/markdown.tsx';
import { Bubble, ReplyLayout } from '../../ui/message-look.tsx';
import { pageNumber } from '../../ui/page-number.ts';
import { UserText } from '../../ui/user-text.tsx';
import { SharedArtifacts } from './shared-artifacts.tsx';

/** The address of a file; absent in a preview. */
type AddressOf = ((ref: string, options?: { download?: boolean }) => string) | undefined;

interface SharedMessagesProps {
  content: SharedContent;
  addressOf?: AddressOf;
}

/** What a link shows, on its page and in the dialog that makes it. */
export const SharedMessages = ({
  content: { messages, isCut },
  addressOf,
}: SharedMessagesProps) => (
  <SharedArtifacts>
    <div className="grid grid-cols-1 gap-8">
      {isCut && <p className="text-center text-sm text-muted">{t('cut')}</p>}
      {messages.map((message, index) =>
        message.role === 'user' ? (
          <Question key={index} message={message} addressOf={addressOf} />
        ) : (
          <Reply key={index} message={message} addressOf={addressOf} />
        ),
      )}
    </div>
  </SharedArtifacts>
);

interface MessageProps {
  message: SharedMessage;
  addressOf: AddressOf;
}

const Question = ({ message, addressOf }: MessageProps) => (
  <article data-role="user" className="flex flex-col items-end">
    <h2 className="sr-only">{t('question')}</h2>
    <Name name={message.name} />
    <Bubble>
      <UserText text={textOf(message)} />
    </Bubble>
    <Files files={message.files} addressOf={addressOf} />
  </article>
);

const textOf = ({ parts }: SharedMessage): string => parts.map(({ text }) => text).join('');

const Reply = ({ message, addressOf }: MessageProps) => {
  const { name, parts, files, sources, state } = message;
  return (
    <article data-role="assistant" aria-busy={state === 'running'}>
      <h2 className="sr-only">{t('reply')}</h2>
      <ReplyLayout busy={state === 'running'}>
        <Name name={name} />
        <div dir="auto" className="reply">
          {parts.map((part, index) => (
            <Part key={index} parts={parts} index={index} part={part} />
          ))}
        </div>
        <Files files={files} addressOf={addressOf} />
        <Sources sources={sources} />
        {state && <p className="mt-2 text-sm text-muted">{t(state)}</p>}
      </ReplyLayout>
    </article>
  );
};

const Name = ({ name }: { name: string | undefined }) =>
  name && (
    <p className="mb-1 text-sm font-medium text-muted">
      <bdi>{name}</bdi>
    </p>
  );

interface PartProps {
  parts: readonly SharedPart[];
  index: number;
  part: SharedPart;
}

function Part({ parts, index, part: { type, text, member, name } }: PartProps) {
  const isPanel = parts.some((one) => one.member !== undefined);
  const isFirst = index === 0 || parts[index - 1]?.member !== member;
  const heading = name ?? (member ? t('member', { member }) : t('synthesis'));
  return (
    <>
      {isPanel && isFirst && (
        <h3 className="mt-4 mb-2 text-sm font-semibold">
          <bdi>{heading}</bdi>
        </h3>
      )}
      {type === 'reasoning' ? <Reasoning text={text} /> : <Markdown text={text} />}
    </>
  );
}

function Reasoning({ text }: { text: string }) {
  const [open, setOpen] = useState(false);
  return (
    <details
      className="group/reasoning mb-3 text-sm text-muted"
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary className="flex w-fit cursor-pointer list-none items-center gap-1.5 rounded-sm py-1 hover:text-ink pointer-coarse:min-h-11 [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden="true" className="size-4 group-open/reasoning:rotate-90" />
        {t('reasoning')}
      </summary>
      {open && (
        <div className="mt-1 border-line border-s-2 ps-4">
          <Markdown text={text} />
        </div>
      )}
    </details>
  );
}

function Files({
  files = [],
  addressOf,
}: {
  files: SharedFile[] | undefined;
  addressOf: AddressOf;
}) {
  if (files.length === 0) return null;
  return (
    <ul className="mt-2 flex flex-wrap gap-2">
      {files.map((file, index) => (
        <li key={index}>
          <File file={file} addressOf={addressOf} />
        </li>
      ))}
    </ul>
  );
}

const CHIP =
  'flex min-h-9 items-center gap-2 rounded-sm border border-line px-3 text-sm wrap-anywhere pointer-coarse:min-h-11';
/** The pictures that the server sends as pictures; others are downloads. */
const PICTURE = /^image\/(?:png|jpeg|gif|webp|avif|bmp)$/;

function File({
  file: { name, ref, type = '' },
  addressOf,
}: {
  file: SharedFile;
  addressOf: AddressOf;
}) {
  const label = (
    <>
      <Paperclip aria-hidden="true" className="size-4 shrink-0 text-muted" />
      <bdi>{name}</bdi>
    </>
  );
  if (!ref || !addressOf) return <span className={CHIP}>{label}</span>;
  return (
    <div className="grid gap-1">
      {PICTURE.test(type) && (
        <img
          src={addressOf(ref)}
          alt={name}
          loading="lazy"
          className="max-h-80 max-w-full rounded-sm border border-line"
        />
      )}
      <a className={CHIP} href={addressOf(ref, { download: true })} download={name}>
        {label}
      </a>
    </div>
  );
}

function Sources({ sources = [] }: { sources: SharedSource[] | undefined }) {
  if (sources.length === 0) return null;
  return (
    <ul aria-label={t('sources')} className="mt-3 grid gap-1 text-sm text-muted">
      {sources.map(({ n, fileName, page, pageLabel: label }) => (
        <li key={n}>{t('source', { n, fileName, page: pageNumber({ page, label }) })}</li>
      ))}
    </ul>
  );
}
