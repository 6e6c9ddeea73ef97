import { readFile } from 'node:fs/promises';
import iconv from 'iconv-lite';
import { UnreadableFileError } from '../../port.ts';
import { cutAtHeadings, UNREAD_PICTURE } from '../cut.ts';
import type { Extract } from '../format.ts';
import { toMarkdown } from '../markdown.ts';
import { type Blocks, createBlocks } from './blocks.ts';
import { charsetOf, codePageOf, DROPPED, KEPT, PICTURES, SIGNS, STREAMS } from './words.ts';

/** Groups within each other; real documents have some 20. */
const MAX_DEPTH = 2_000;
/** A control word with its number, a control sign, a character in hexadecimal, a brace, or text. */
const TOKEN = /\\(?:([a-z]{1,32})(-?\d{1,10})? ?|'([\da-f]{2})|([^a-z]))|([{}])|[^\\{}\r\n]+/giy;

/** RTF as Markdown, with the numbers of lists as they are stored; then notes, comments, headers and footers. */
export const readRtf: Extract = async function* (file) {
  const parts = readParts((await readFile(file.path)).toString('latin1'));
  const notes = parts.note.map((note, at) => `[${at + 1}] ${note}`);
  const text = [
    parts.body,
    ...notes,
    titled('Comments', parts.comment),
    titled('Header', parts.header),
    titled('Footer', parts.footer),
  ].filter((part) => part !== '');
  yield* cutAtHeadings(text.join('\n\n'), { level: 2, minLength: 2_000 });
};

const titled = (title: string, texts: string[]): string => {
  const once = new Set(texts.filter((text) => text !== ''));
  return once.size > 0 ? [`${title}:`, ...once].join('\n') : '';
};

interface Group {
  isDropped: boolean;
  /** Whether a reader that does not know the destination drops it. */
  isOptional: boolean;
  isHidden: boolean;
  isInFontTable: boolean;
  /** Characters after a Unicode character that stand for it. */
  fallbacks: number;
  font: number;
  level: number;
  isInTable: boolean;
  blocks: Blocks;
}

interface Parts {
  body: string;
  note: string[];
  comment: string[];
  header: string[];
  footer: string[];
}

function readParts(source: string): Parts {
  const parts: Parts = { body: '', note: [], comment: [], header: [], footer: [] };
  const body = createBlocks();
  const fonts = new Map<number, string>();
  let codePage = 'cp1252';
  let defaultFont = 0;
  let bytes = '';
  /** Characters that are left out after a Unicode character. */
  let left = 0;
  const outer: Group[] = [];
  let group: Group = {
    isDropped: false,
    isOptional: false,
    isHidden: false,
    isInFontTable: false,
    fallbacks: 1,
    font: 0,
    level: 0,
    isInTable: false,
    blocks: body,
  };

  const isShown = () => !group.isDropped && !group.isHidden;
  /** Characters of two bytes may be split over several tokens. */
  const flush = () => {
    if (bytes === '') return;
    const encoding = fonts.get(group.font) ?? codePage;
    if (isShown()) group.blocks.add(iconv.decode(Buffer.from(bytes, 'latin1'), encoding));
    bytes = '';
  };
  const addBytes = (more: string) => {
    const dropped = Math.min(left, more.length);
    left -= dropped;
    if (isShown()) bytes += more.slice(dropped);
  };
  const addText = (text: string) => {
    flush();
    if (left > 0) left -= 1;
    else if (isShown()) group.blocks.add(text);
  };

  const open = () => {
    flush();
    if (outer.length > MAX_DEPTH) throw new UnreadableFileError('too_complex', 'Nested too deep.');
    outer.push(group);
    group = { ...group, isOptional: false };
    left = 0;
  };
  const close = () => {
    flush();
    const { blocks } = group;
    const before = outer.pop();
    if (!before) return;
    group = before;
    left = 0;
    const end = ends.get(blocks);
    if (end && blocks !== before.blocks) end();
  };

  /** What happens when the group of a destination ends. */
  const ends = new Map<Blocks, () => void>();
  const beginStream = (kind: (typeof STREAMS)[string]) => {
    if (group.isDropped) return;
    if (kind === 'note') group.blocks.add(`[${parts.note.length + 1}]`);
    const at = parts[kind].push('') - 1;
    const blocks = createBlocks();
    group = { ...group, blocks, isInTable: false, level: 0 };
    ends.set(blocks, () => {
      parts[kind][at] = toMarkdown(blocks.html()).trim();
      ends.delete(blocks);
    });
  };

  const word = (name: string, n: number | undefined) => {
    const sign = SIGNS[name];
    if (sign !== undefined) return addText(sign);
    if (name === 'u' && n !== undefined) {
      addText(String.fromCharCode((n + 0x1_0000) % 0x1_0000));
      left = group.fallbacks;
      return undefined;
    }
    flush();
    if (PICTURES.has(name) && isShown()) group.blocks.add(UNREAD_PICTURE);
    if (DROPPED.has(name) || (group.isOptional && !KEPT.has(name) && !STREAMS[name]))
      group.isDropped = true;
    group.isOptional = false;
    if (name === 'ud') group.isDropped = false;
    const stream = STREAMS[name];
    if (stream) return beginStream(stream);
    codePage = codePageOf(name, n) ?? codePage;
    return format(name, n);
  };

  const format = (name: string, n: number | undefined) => {
    switch (name) {
      case 'fonttbl':
        group.isInFontTable = true;
        break;
      case 'fcharset': {
        const charset = group.isInFontTable ? charsetOf(n ?? 0) : undefined;
        if (charset) fonts.set(group.font, charset);
        break;
      }
      case 'deff':
        defaultFont = n ?? 0;
        group.font = defaultFont;
        break;
      case 'f':
        group.font = n ?? 0;
        break;
      case 'plain':
        group.font = defaultFont;
        group.isHidden = false;
        break;
      case 'uc':
        group.fallbacks = Math.max(0, n ?? 1);
        break;
      case 'v':
      case 'deleted':
        group.isHidden = n !== 0;
        break;
      case 'pard':
        group.isInTable = false;
        group.level = 0;
        break;
      case 'intbl':
        group.isInTable = true;
        break;
      case 'outlinelevel':
        group.level = n === undefined || n > 5 ? 0 : n + 1;
        break;
      default:
        if (!group.isDropped) layout(name);
    }
  };

  const layout = (name: string) => {
    switch (name) {
      case 'par':
      case 'sect':
      case 'page':
        group.blocks.endParagraph(group);
        break;
      case 'cell':
        group.blocks.endCell();
        break;
      case 'nestcell':
        group.blocks.add('\t');
        break;
      case 'row':
        group.blocks.endRow();
        break;
      default:
    }
  };

  let last = '';
  for (let at = 0; at < source.length; ) {
    TOKEN.lastIndex = at;
    const [token, name, number, hex, sign, brace] = TOKEN.exec(source) ?? [];
    at += token?.length || 1;
    if (token === undefined) continue;
    // The mark counts only at the beginning of a group.
    const isFirst = last === '{';
    last = token;
    if (brace === '{') open();
    else if (brace === '}') close();
    else if (hex !== undefined) addBytes(String.fromCharCode(Number.parseInt(hex, 16)));
    else if (name === 'bin') at += Math.max(0, Number(number ?? 0));
    else if (name !== undefined) word(name, number === undefined ? undefined : Number(number));
    else if (sign === '*') group.isOptional = isFirst;
    else if (sign === '\n' || sign === '\r') word('par', undefined);
    else if (sign !== undefined) {
      if (SIGNS[sign] !== undefined) word(sign, undefined);
    } else addBytes(token);
  }
  while (outer.length > 0) close();
  flush();
  parts.body = toMarkdown(body.html());
  return parts;
}
