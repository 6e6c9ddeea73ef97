export type ArtifactKind = 'html' | 'svg' | 'mermaid';

/** What a code block is opened as; undefined for code that is only read. */
export function artifactKind(code: string, language: string): ArtifactKind | undefined {
  const name = language.toLowerCase();
  if (name === 'mermaid') return 'mermaid';
  if (name === 'svg' || (name === 'xml' && /^\s*<svg[\s>]/.test(code))) return 'svg';
  return name === 'html' ? 'html' : undefined;
}

const PAGE = /<!doctype html|<(?:html|body|style|script|h1)[\s>]/i;

/** Whether a reply shows a picture of it in place of its code: a drawing, or a page, but no few tags that the reply explains. */
export const isPictured = (kind: ArtifactKind, code: string): boolean =>
  kind === 'svg' || (kind === 'html' && PAGE.test(code));
