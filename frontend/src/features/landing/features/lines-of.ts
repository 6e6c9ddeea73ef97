/** A list stored as one text of the catalogue. */
export const linesOf = (text: string): string[] => text.split('\n');
