import mammoth from 'mammoth';
import { checkZip } from './check-zip.ts';
import { cutAtHeadings } from './cut.ts';
import type { Extract } from './format.ts';
import { toMarkdown } from './markdown.ts';

/** Word documents as Markdown, with tables and footnotes; large chapters begin a page. */
export const readDocx: Extract = async function* (file) {
  await checkZip(file.path);
  const { value } = await mammoth.convertToHtml(
    { path: file.path },
    {
      // Pictures are left out; reading them takes memory.
      convertImage: mammoth.images.imgElement(() => Promise.resolve({ src: '' })),
      externalFileAccess: false,
    },
  );
  yield* cutAtHeadings(toMarkdown(value), { level: 2, minLength: 2_000 });
};
