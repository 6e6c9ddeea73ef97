import { readFile } from 'node:fs/promises';
import iconv from 'iconv-lite';
import { ownEntry } from '../../../text/own-entry.ts';
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
  const parts = new RtfReader().read((await readFile(file.path)).toString('latin1'));
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

/** Reads one document. */
class RtfReader {
  private readonly parts: Parts = { body: '', note: [], comment: [], header: [], footer: [] };
  private readonly body = createBlocks();
  private readonly fonts = new Map<number, string>();
  private codePage = 'cp1252';
  private defaultFont = 0;
  private bytes = '';
  /** Characters that are left out after a Unicode character. */
  private left = 0;
  /** What happens when the group of a destination ends. */
  private readonly ends = new Map<Blocks, () => void>();
  private readonly outer: Group[] = [];
  private group: Group = {
    isDropped: false,
    isOptional: false,
    isHidden: false,
    isInFontTable: false,
    fallbacks: 1,
    font: 0,
    level: 0,
    isInTable: false,
    blocks: this.body,
  };

  read(source: string): Parts {
    let last = '';
    for (let at = 0; at < source.length; ) {
      TOKEN.lastIndex = at;
      const [token, name, number, hex, sign, brace] = TOKEN.exec(source) ?? [];
      at += token?.length || 1;
      if (token === undefined) continue;
      // The mark counts only at the beginning of a group.
      const isFirst = last === '{';
      last = token;
      if (brace === '{') this.open();
      else if (brace === '}') this.close();
      else if (hex !== undefined) this.addBytes(String.fromCharCode(Number.parseInt(hex, 16)));
      else if (name === 'bin') at += Math.max(0, Number(number ?? 0));
      else if (name !== undefined)
        this.word(name, number === undefined ? undefined : Number(number));
      else if (sign === '*') this.group.isOptional = isFirst;
      else if (sign === '\n' || sign === '\r') this.word('par', undefined);
      else if (sign !== undefined) {
        if (ownEntry(SIGNS, sign) !== undefined) this.word(sign, undefined);
      } else this.addBytes(token);
    }
    while (this.outer.length > 0) this.close();
    this.flush();
    this.parts.body = toMarkdown(this.body.html());
    return this.parts;
  }

  private isShown(): boolean {
    return !this.group.isDropped && !this.group.isHidden;
  }

  /** Characters of two bytes may be split over several tokens. */
  private flush(): void {
    if (this.bytes === '') return;
    const encoding = this.fonts.get(this.group.font) ?? this.codePage;
    if (this.isShown())
      this.group.blocks.add(iconv.decode(Buffer.from(this.bytes, 'latin1'), encoding));
    this.bytes = '';
  }

  private addBytes(more: string): void {
    const dropped = Math.min(this.left, more.length);
    this.left -= dropped;
    if (this.isShown()) this.bytes += more.slice(dropped);
  }

  private addText(text: string): void {
    this.flush();
    if (this.left > 0) this.left -= 1;
    else if (this.isShown()) this.group.blocks.add(text);
  }

  private open(): void {
    this.flush();
    if (this.outer.length > MAX_DEPTH)
      throw new UnreadableFileError('too_complex', 'Nested too deep.');
    this.outer.push(this.group);
    this.group = { ...this.group, isOptional: false };
    this.left = 0;
  }

  private close(): void {
    this.flush();
    const { blocks } = this.group;
    const before = this.outer.pop();
    if (!before) return;
    this.group = before;
    this.left = 0;
    const end = this.ends.get(blocks);
    if (end && blocks !== before.blocks) end();
  }

  private beginStream(kind: (typeof STREAMS)[string]): void {
    const { group } = this;
    if (group.isDropped) return;
    if (kind === 'note') group.blocks.add(`[${this.parts.note.length + 1}]`);
    const at = this.parts[kind].push('') - 1;
    const blocks = createBlocks();
    this.group = { ...group, blocks, isInTable: false, level: 0 };
    this.ends.set(blocks, () => {
      this.parts[kind][at] = toMarkdown(blocks.html()).trim();
      this.ends.delete(blocks);
    });
  }

  private word(name: string, n: number | undefined): void {
    const { group } = this;
    const sign = ownEntry(SIGNS, name);
    if (sign !== undefined) return this.addText(sign);
    if (name === 'u' && n !== undefined) {
      this.addText(String.fromCharCode((n + 0x1_0000) % 0x1_0000));
      this.left = group.fallbacks;
      return undefined;
    }
    this.flush();
    const stream = ownEntry(STREAMS, name);
    if (PICTURES.has(name) && this.isShown()) group.blocks.add(UNREAD_PICTURE);
    if (DROPPED.has(name) || (group.isOptional && !KEPT.has(name) && !stream))
      group.isDropped = true;
    group.isOptional = false;
    if (name === 'ud') group.isDropped = false;
    if (stream) return this.beginStream(stream);
    this.codePage = codePageOf(name, n) ?? this.codePage;
    return this.format(name, n);
  }

  private format(name: string, n: number | undefined): void {
    const { group } = this;
    switch (name) {
      case 'fonttbl':
        group.isInFontTable = true;
        break;
      case 'fcharset': {
        const charset = group.isInFontTable ? charsetOf(n ?? 0) : undefined;
        if (charset) this.fonts.set(group.font, charset);
        break;
      }
      case 'deff':
        this.defaultFont = n ?? 0;
        group.font = this.defaultFont;
        break;
      case 'f':
        group.font = n ?? 0;
        break;
      case 'plain':
        group.font = this.defaultFont;
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
        if (!group.isDropped) this.layout(name);
    }
  }

  private layout(name: string): void {
    const { group } = this;
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
  }
}
