import type { PromptFiles } from './passages.ts';
import type { PromptPanel, PromptPersona } from './persona.ts';
import { TOUR_DE } from './tour-de.ts';
import { TOUR_EN } from './tour-en.ts';

/** Thrown for a quotation that the prompt does not contain. */
class MissingPassageError extends Error {
  override name = 'MissingPassageError';
}

const STOPS = new Map([...TOUR_EN, ...TOUR_DE].map((stop) => [keyOf(stop.prompt), stop]));

interface TourContext {
  files: PromptFiles | null;
  /** The panel of which it is a part, and the member. */
  panel?: PromptPanel | null;
  persona?: PromptPersona | null;
}

/**
 * The written answer to a starter prompt; null for every other message, and without the sample files of the answer: the demo model then
 * answers like any question.
 */
export function tourAnswer(asked: string, { files, panel, persona }: TourContext): string | null {
  const stop = STOPS.get(keyOf(asked));
  if (!stop) return null;
  if (panel) {
    if (panel.isClosed) return stop.panel?.synthesis ?? null;
    return stop.panel?.voices[persona?.name ?? ''] ?? null;
  }
  try {
    return stop.answer((sentence) => quoteFrom(files, sentence));
  } catch (error) {
    if (error instanceof MissingPassageError) return null;
    throw error;
  }
}

function quoteFrom(files: PromptFiles | null, sentence: string): string {
  const passage = files?.passages.find(({ text }) => text.replace(/\s+/g, ' ').includes(sentence));
  if (!passage) throw new MissingPassageError();
  return `“${sentence}” [${passage.id}]`;
}

function keyOf(text: string): string {
  return text.trim().replace(/\s+/g, ' ').toLowerCase();
}
