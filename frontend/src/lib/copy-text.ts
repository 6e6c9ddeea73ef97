/** Copies a text. @throws where the browser has no clipboard, as on pages without https, and where it refuses */
export const copyText = async (text: string): Promise<void> => navigator.clipboard.writeText(text);
