/** Puts a sentence of a sample file into quotation marks, with the marker of the passage that has it. */
export type Quote = (sentence: string) => string;

/** A starter prompt of the home screen and its written answer. */
export interface TourStop {
  prompt: string;
  /** What the answer quotes comes from the passages of the prompt, so that citations and checks are real. */
  answer: (quote: Quote) => string;
  /** What the members of a panel answer, by their names, and how it is summed up. */
  panel?: { voices: Record<string, string>; synthesis: string };
}
