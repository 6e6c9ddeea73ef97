const UNFINISHED = /\[\d{0,4}(?:\](?:\(#?[\w=,]*)?)?$/;

/** A text that still grows, without a citation whose link is not complete. */
export const hideUnfinishedSource = (text: string): string => text.replace(UNFINISHED, '');
