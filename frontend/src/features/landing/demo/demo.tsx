import { t } from 'virtual:texts/landing';
import { ArrowUp, Paperclip, Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { cn } from '../../../ui/cn.ts';
import '../../../ui/markdown/markdown.css';
import { Bubble, ReplyLayout } from '../../../ui/message-look.tsx';
import { useTypewriter } from '../../../ui/use-typewriter.ts';
import { linesOf } from '../features/lines-of.ts';
import { fileNames, renderReply, SourcePage, sourceText, Verdict } from './recording.tsx';
import { createReveal, textsOf } from './reveal.tsx';
import { isAt, type Scene, usePlayback } from './use-playback.ts';

/** About the pace of a quick model. */
const REPLY_MS_PER_CHARACTER = 12;

/**
 * A recorded conversation that types itself as in the product. The whole picture keeps its place from the start, so
 * nothing moves; screen readers get the text of the finished one.
 */
export function Demo() {
  const frame = useRef<HTMLDivElement>(null);
  const { scene, playing, isPaused, round, ...on } = usePlayback(frame);
  const reply = textsOf(renderReply).join(' ');
  return (
    <figure>
      <figcaption className="sr-only">
        {t('recordingText', {
          question: t('question'),
          reply,
          source: sourceText(),
          verdict: t('verdict'),
        })}
      </figcaption>
      <div
        ref={frame}
        aria-hidden="true"
        className="grid overflow-hidden rounded-lg border border-line bg-ground text-left shadow-float md:grid-cols-[15rem_1fr]"
      >
        <Sidebar />
        <div className="flex min-w-0 flex-col gap-6 px-4 pt-6 pb-4 sm:px-8">
          <Conversation key={round} scene={scene} playing={playing} {...on} />
        </div>
      </div>
      <div className="mt-2 flex items-center justify-center gap-2 text-xs text-muted">
        <span>{t('recording')}</span>
        {scene === 'done' ? (
          <PlayButton onClick={on.playAgain}>{t('again')}</PlayButton>
        ) : (
          <PlayButton onClick={on.toggle}>{isPaused ? t('play') : t('pause')}</PlayButton>
        )}
      </div>
    </figure>
  );
}

const PlayButton = (props: { onClick: () => void; children: string }) => (
  <Button variant="ghost" size="sm" className="px-2 text-xs" {...props} />
);

interface ConversationProps {
  scene: Scene;
  playing: boolean;
  onTyped: () => void;
  onReplied: () => void;
}

function Conversation({ scene, playing, onTyped, onReplied }: ConversationProps) {
  const isSent = scene !== 'typing';
  const question = t('question');
  const typed = useTypewriter({
    length: question.length,
    playing: playing && !isSent,
    onComplete: onTyped,
  });
  return (
    <>
      <div className="flex flex-col items-end">
        <Bubble>{createReveal(isSent ? question.length : typed).text(question)}</Bubble>
        <div className={cn('mt-3 flex flex-wrap justify-end gap-2', !isSent && 'invisible')}>
          {fileNames().map((name) => (
            <span
              key={name}
              className="flex items-center gap-2 rounded-sm border border-line bg-surface px-3 py-1.5 text-sm"
            >
              <Paperclip className="size-4 text-muted" />
              {name}
            </span>
          ))}
        </div>
      </div>
      <div className={cn(!isSent && 'invisible')}>
        <ReplyLayout busy={scene === 'sent'}>
          <Reply scene={scene} playing={playing} onComplete={onReplied} />
        </ReplyLayout>
      </div>
      <Composer />
    </>
  );
}

function Reply({
  scene,
  playing,
  onComplete,
}: {
  scene: Scene;
  playing: boolean;
  onComplete: () => void;
}) {
  const [length] = useState(() => textsOf(renderReply).join('').length);
  const typed = useTypewriter({
    length,
    msPerCharacter: REPLY_MS_PER_CHARACTER,
    playing: playing && scene === 'replying',
    onComplete,
  });
  const shown = isAt('pointing', scene) ? length : typed;
  return (
    <>
      <div className="markdown">{renderReply(createReveal(shown), scene)}</div>
      <Verdict scene={scene} />
      <SourcePage scene={scene} />
    </>
  );
}

const Composer = () => (
  <div className="mt-auto flex items-center gap-3 rounded-lg border border-line bg-raised p-2 pl-3 text-muted">
    <Paperclip className="size-5 shrink-0" />
    <span className="min-w-0 flex-1 truncate">{t('composer')}</span>
    <span className="grid size-10 shrink-0 place-content-center">
      <ArrowUp className="size-5" />
    </span>
  </div>
);

const Sidebar = () => (
  <div className="hidden flex-col gap-3 border-r border-line bg-surface p-3 text-sm md:flex">
    <span className="flex h-10 items-center gap-2 rounded-sm border border-control px-3 font-medium">
      <Plus className="size-4" />
      {t('newChat')}
    </span>
    <ul className="grid gap-0.5">
      {linesOf(t('chats')).map((title, i) => (
        <li
          key={title}
          className={cn(
            'truncate rounded-sm border-l-2 px-3 py-2',
            i === 0 ? 'border-accent bg-hover' : 'border-transparent text-muted',
          )}
        >
          {title}
        </li>
      ))}
    </ul>
  </div>
);
