/** A list that stands in the catalogue as one text. */
export const linesOf = (text: string): string[] => text.split('\n');
