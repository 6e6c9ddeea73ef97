import { t as common } from 'virtual:texts/app';
import { t } from 'virtual:texts/artifacts';
import { useQuery } from '@tanstack/react-query';
import {
  ChevronLeft,
  ChevronRight,
  Copy,
  Download,
  ExternalLink,
  Maximize2,
  Minimize2,
} from 'lucide-react';
import { Tabs } from 'radix-ui';
import { type ReactNode, useMemo, useState } from 'react';
import { copyText } from '../../../lib/copy-text.ts';
import { saveFile } from '../../../lib/save-file.ts';
import type { ArtifactKind } from '../../../ui/artifact/artifact-kind.ts';
import { ArtifactPreview } from '../../../ui/artifact/artifact-preview.tsx';
import { cn } from '../../../ui/cn.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { CodeBlock } from '../../../ui/markdown/code-block.tsx';
import { PanelHeader, SidePanel, useIsWide } from '../../../ui/side-panel.tsx';
import { toast, toastError } from '../../../ui/toast-store.ts';
import { messagesQuery } from '../api.ts';
import { type Artifact, artifactsOf, versionsOf } from './find-artifacts.ts';
import {
  type ArtifactPlace,
  closeArtifact,
  tabAddress,
  takeFocus,
  turnToArtifact,
  useVisits,
} from './place.ts';
import { useFullScreen } from './use-full-screen.ts';
import { useReplyParts } from './use-reply-parts.ts';

interface ArtifactPanelProps {
  place: ArtifactPlace;
  conversationId: string;
}

/** A page, drawing or diagram of a reply, beside the chat; on narrow screens in its place. */
export function ArtifactPanel({ place, conversationId }: ArtifactPanelProps) {
  const { data: messages = [], isPending } = useQuery(messagesQuery(conversationId));
  const reply = useReplyParts(messages.find(({ id }) => id === place.messageId));
  const artifact = useMemo(() => artifactsOf(reply)[place.index], [reply, place.index]);
  const isWritten = reply.isWritten && artifact?.isClosed === false;
  // While a reply is written, its text is not in `messages` yet.
  const versions = useMemo(
    () => (artifact && !reply.isWritten ? versionsOf(artifact, messages) : []),
    [artifact, reply.isWritten, messages],
  );
  const screen = useFullScreen();
  return (
    <SidePanel
      label={t('artifact')}
      isFull={screen.isFull}
      takesFocus={takeFocus}
      visit={useVisits((visits) => visits.count)}
      onClose={screen.isFull ? screen.leave : closeArtifact}
    >
      <div data-artifact className="contents">
        {artifact ? (
          <View
            artifact={artifact}
            versions={versions}
            isWritten={isWritten}
            buttons={
              <>
                {!reply.isWritten && <TabLink address={tabAddress(conversationId, artifact)} />}
                <ScreenButton {...screen} />
              </>
            }
          />
        ) : (
          <>
            <PanelHeader title={t('artifact')} onClose={closeArtifact} />
            {!isPending && (
              <p className="m-auto max-w-prose p-6 text-center text-sm text-muted">
                {t('notLoaded')}
              </p>
            )}
          </>
        )}
      </div>
    </SidePanel>
  );
}

const TabLink = ({ address }: { address: string }) => (
  <IconButton asChild label={t('openInTab')} side="bottom">
    <a href={address} target="_blank" rel="noopener">
      <ExternalLink aria-hidden="true" />
    </a>
  </IconButton>
);

function ScreenButton({ isFull, enter, leave }: ReturnType<typeof useFullScreen>) {
  // On narrow screens the panel covers the page anyway.
  if (!useIsWide()) return null;
  return (
    <IconButton
      label={t(isFull ? 'leaveFullScreen' : 'fullScreen')}
      {...(isFull && { shortcut: 'Esc' })}
      side="bottom"
      onClick={isFull ? leave : enter}
    >
      {isFull ? <Minimize2 aria-hidden="true" /> : <Maximize2 aria-hidden="true" />}
    </IconButton>
  );
}

interface ViewProps {
  artifact: Artifact;
  versions: readonly Artifact[];
  /** It is not complete yet: its code is shown while it grows. */
  isWritten: boolean;
  buttons: ReactNode;
}

function View({ artifact, versions, isWritten, buttons }: ViewProps) {
  const { code, kind, messageId, index, title } = artifact;
  const id = `${messageId}-${index}`;
  // An artifact runs only after a click in this panel, and only in the version shown.
  const [running, setRunning] = useState<string>();
  const [tab, setTab] = useState<string>();
  return (
    <>
      <PanelHeader title={title} onClose={closeArtifact}>
        {versions.length > 1 && <VersionSwitcher artifact={artifact} versions={versions} />}
        <CopyCode code={code} />
        <Save artifact={artifact} />
        {buttons}
      </PanelHeader>
      <Tabs.Root
        value={tab ?? (isWritten ? 'code' : 'preview')}
        onValueChange={setTab}
        className="flex min-h-0 flex-1 flex-col"
      >
        <Tabs.List aria-label={t('view')} className="flex gap-1 border-line border-b px-2">
          <Tab value="preview">{t('preview')}</Tab>
          <Tab value="code">{t('code')}</Tab>
        </Tabs.List>
        <Tabs.Content value="preview" className="min-h-0 flex-1">
          <ArtifactPreview
            key={id}
            artifact={artifact}
            isRunning={running === id}
            onRun={() => setRunning(id)}
          />
        </Tabs.Content>
        <Tabs.Content
          value="code"
          // Reversed, its end stays in view while it grows.
          className={cn('min-h-0 flex-1 overflow-y-auto p-4', isWritten && 'flex flex-col-reverse')}
        >
          <div>
            <CodeBlock
              code={code}
              language={kind === 'mermaid' ? 'text' : kind}
              growing={isWritten}
            />
          </div>
        </Tabs.Content>
      </Tabs.Root>
    </>
  );
}

function CopyCode({ code }: { code: string }) {
  const copy = async () => {
    try {
      await copyText(code);
      toast({ title: t('copied') });
    } catch {
      toastError(t('copyFailed'));
    }
  };
  return (
    <IconButton label={t('copyCode')} side="bottom" onClick={() => void copy()}>
      <Copy aria-hidden="true" />
    </IconButton>
  );
}

const Save = ({ artifact: { code, kind, title } }: { artifact: Artifact }) => (
  <IconButton
    label={common('download')}
    side="bottom"
    onClick={() =>
      saveFile(code, { name: `${fileName(title)}.${SUFFIXES[kind]}`, type: TYPES[kind] })
    }
  >
    <Download aria-hidden="true" />
  </IconButton>
);

const Tab = ({ value, children }: { value: string; children: string }) => (
  <Tabs.Trigger
    value={value}
    className="min-h-10 border-transparent border-b-2 px-3 text-muted text-sm hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink pointer-coarse:min-h-11"
  >
    {children}
  </Tabs.Trigger>
);

function VersionSwitcher({
  artifact,
  versions,
}: {
  artifact: Artifact;
  versions: readonly Artifact[];
}) {
  const at = versions.findIndex(
    ({ messageId, index }) => messageId === artifact.messageId && index === artifact.index,
  );
  const turn = (step: 1 | -1) => {
    const version = versions[at + step];
    if (version) turnToArtifact(version);
  };
  return (
    <div className="flex items-center text-muted text-xs">
      <IconButton label={t('earlierVersion')} size="sm" isAtEnd={at === 0} onClick={() => turn(-1)}>
        <ChevronLeft aria-hidden="true" />
      </IconButton>
      <span aria-live="polite">
        {at + 1}/{versions.length}
      </span>
      <IconButton
        label={t('laterVersion')}
        size="sm"
        isAtEnd={at === versions.length - 1}
        onClick={() => turn(1)}
      >
        <ChevronRight aria-hidden="true" />
      </IconButton>
    </div>
  );
}

const SUFFIXES: Readonly<Record<ArtifactKind, string>> = {
  html: 'html',
  svg: 'svg',
  mermaid: 'mmd',
};
const TYPES: Readonly<Record<ArtifactKind, string>> = {
  html: 'text/html',
  svg: 'image/svg+xml',
  mermaid: 'text/plain',
};

/** Letters and digits of any script; everything else is a dash. */
const fileName = (title: string): string =>
  title.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '') || t('fileName');
