import type { FileProblem, FileProblemCode } from '../contract/files.ts';

const MESSAGES: Record<FileProblemCode, string> = {
  encrypted: 'This file is protected by a password. Remove the password and upload it again.',
  damaged: 'This file is damaged or incomplete. Open and save it again, then upload it.',
  empty: 'This file is empty. Upload a file with content.',
  no_text:
    'This file has no text, only pictures or empty pages. Upload it with recognised text to ask about it.',
  too_complex:
    'This file is too large or too complex to read. Split it or save it in a simpler format.',
  timed_out: 'Reading this file took too long. Split it into smaller files.',
  unsupported:
    'The text of this kind of file cannot be read. Save it as PDF, DOCX or plain text to ask about it.',
  internal: 'Reading this file failed. Try again later.',
};

/** The sentence for the user about a file that cannot be read. */
export const fileProblem = (code: FileProblemCode): FileProblem => ({
  code,
  message: MESSAGES[code],
});
