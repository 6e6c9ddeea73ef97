/** Quotes a sentence of a sample file, with the marker of the passage that contains it. */
export type Quote = (sentence: string) => string;

/** A starter prompt of the home screen and its written answer. */
export interface TourStop {
  prompt: string;
  /** The quotations come from the passages of the prompt, so that citations and checks are real. */
  answer: (quote: Quote) => string;
  /** What the members of a panel answer, by their names, and how it is summed up. */
  panel?: { voices: Record<string, string>; synthesis: string };
}
