import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { Markdown } from '../../../ui/markdown/markdown.tsx';

interface ReasoningProps {
  text: string;
  /** The reasoning is still streaming. */
  streaming: boolean;
  /** It has been silent for a second. */
  quiet: boolean;
}

/** The model's reasoning before its answer: collapsed until the user opens it. */
export function Reasoning({ text, streaming, quiet }: ReasoningProps) {
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
        {streaming ? 'Thinking…' : 'Thought'}
      </summary>
      {/* Closed, it costs nothing while it grows. */}
      {open && (
        <div dir="auto" className="mt-1 border-line border-s-2 ps-4">
          <Markdown text={text} streaming={streaming} />
        </div>
      )}
    </details>
  );
}
