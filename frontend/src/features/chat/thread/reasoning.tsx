import { t } from 'virtual:texts/chat';
import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { formatNumber } from '../../../lib/number.ts';
import { ArtifactContext } from '../../../ui/markdown/contexts.ts';
import { Markdown } from '../../../ui/markdown/markdown.tsx';

interface ReasoningProps {
  text: string;
  /** The reasoning is still streaming. */
  streaming: boolean;
  /** It has had no new text for a second. */
  quiet: boolean;
  /** Its duration; absent while it streams, and when it is unknown. */
  ms?: number | undefined;
}

/** What the model drafts is not part of the reply, so it cannot be opened. */
const noArtifact = () => undefined;

/** The model's reasoning before its answer: collapsed until the user opens it. */
export function Reasoning({ text, streaming, quiet, ms }: ReasoningProps) {
  const [open, setOpen] = useState(false);
  return (
    <details
      className="group/reasoning mb-3 text-sm text-muted"
      data-part="reasoning"
      data-quiet={quiet || undefined}
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary className="flex w-fit cursor-pointer list-none items-center gap-1.5 rounded-sm py-1 hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden="true"
          className="size-4 transition-transform duration-150 ease-out group-open/reasoning:rotate-90"
        />
        {streaming ? t('thinking') : thoughtText(ms)}
      </summary>
      {/* Closed, it costs nothing while it grows. */}
      {open && (
        <div dir="auto" className="mt-1 border-line border-s-2 ps-4">
          <ArtifactContext value={noArtifact}>
            <Markdown text={text} streaming={streaming} />
          </ArtifactContext>
        </div>
      )}
    </details>
  );
}

const thoughtText = (ms: number | undefined): string =>
  ms === undefined
    ? t('thought')
    : t('thoughtFor', { seconds: formatNumber(Math.max(1, Math.round(ms / 1_000))) });
