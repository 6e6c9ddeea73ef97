const UNFINISHED = /\[\d{0,4}(?:\](?:\(#?[\w=,]*)?)?$/;

/** A growing text without a citation whose link is incomplete. */
export const hideUnfinishedSource = (text: string): string => text.replace(UNFINISHED, '');
