export type ArtifactKind = 'html' | 'svg' | 'mermaid';

/** A page, drawing or diagram in a code block. */
export interface Artifact {
  kind: ArtifactKind;
  title: string;
  code: string;
}

/** The kind of artifact of a code block; undefined for code that is not opened. */
export function artifactKind(code: string, language: string): ArtifactKind | undefined {
  const name = language.toLowerCase();
  if (name === 'mermaid') return 'mermaid';
  if (name === 'svg' || (name === 'xml' && /^\s*<svg[\s>]/.test(code))) return 'svg';
  return name === 'html' ? 'html' : undefined;
}

/** Whether Markdown may have an artifact in a code block: most texts need not be parsed to find that they have none. */
export const mayHoldArtifact = (text: string): boolean =>
  /(?:`{3}|~{3})[ \t]*(?:mermaid|svg|xml|html)/i.test(text);

const PAGE = /<!doctype html|<(?:html|body|style|script|h1)[\s>]/i;

/** Whether a reply shows a picture in place of the code: for a drawing, or a page, but not for a few tags. */
export const isPictured = (kind: ArtifactKind, code: string): boolean =>
  kind === 'svg' || (kind === 'html' && PAGE.test(code));
