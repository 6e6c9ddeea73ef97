/** A section of a user's text. The texts of all sections joined equal that text. */
export interface UserTextSection {
  kind: 'text' | 'link' | 'code' | 'opening' | 'block' | 'closing';
  text: string;
}

const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;

/** Splits a typed text into plain text, code blocks and the fence lines around them, links and inline code. */
export function splitUserText(text: string): UserTextSection[] {
  const sections: UserTextSection[] = [];
  const addLine = (kind: UserTextSection['kind'], line: string) => {
    const last = sections.at(-1);
    if (last?.kind === kind) last.text += line;
    else sections.push({ kind, text: line });
  };
  let open: string | undefined;
  for (const line of linesOf(text)) {
    const fence = FENCE.exec(line.trimEnd())?.[1];
    if (open === undefined && fence) {
      open = fence;
      addLine('opening', line);
    } else if (open !== undefined && closes(line, open)) {
      open = undefined;
      addLine('closing', line);
    } else {
      addLine(open === undefined ? 'text' : 'block', line);
    }
  }
  return sections.flatMap((section) => (section.kind === 'text' ? inline(section.text) : section));
}

/** The lines with their line breaks. */
const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

function closes(line: string, open: string): boolean {
  const marker = line.trim();
  return marker.length >= open.length && marker === open.charAt(0).repeat(marker.length);
}

const INLINE = /(?<!`)`[^`\n]+`(?!`)|\bhttps?:\/\/[^\s<>"`]+/g;

function inline(text: string): UserTextSection[] {
  const sections: UserTextSection[] = [];
  let end = 0;
  const add = (kind: UserTextSection['kind'], upTo: number) => {
    if (upTo > end) sections.push({ kind, text: text.slice(end, upTo) });
    end = Math.max(end, upTo);
  };
  for (const { 0: found, index } of text.matchAll(INLINE)) {
    const isCode = found.startsWith('`');
    const length = isCode ? found.length : urlLength(found);
    if (!isCode && !URL.canParse(found.slice(0, length))) continue;
    add('text', index);
    add(isCode ? 'code' : 'link', index + length);
  }
  add('text', text.length);
  return sections;
}

/** Punctuation after a URL belongs to the sentence, and so does a bracket that the URL did not open. */
function urlLength(found: string): number {
  let depth = 0;
  let length = 0;
  for (let i = 0; i < found.length; i++) {
    const character = found.charAt(i);
    if ('(['.includes(character)) depth += 1;
    if (')]'.includes(character) && --depth < 0) break;
    if (!".,;:!?'*_".includes(character)) length = i + 1;
  }
  return length;
}
