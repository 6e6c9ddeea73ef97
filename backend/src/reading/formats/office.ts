import { readFile } from 'node:fs/promises';
import { type OfficeContentNode, OfficeParser } from 'officeparser';
import { checkZip } from './check-zip.ts';
import { pageOf, UNREAD_PICTURE } from './cut.ts';
import type { Extract } from './format.ts';

const CONFIG = {
  fileType: 'pptx',
  newlineDelimiter: '\n',
  outputErrorToConsole: false,
  includeRawContent: false,
} as const;

/** Presentations of PowerPoint: each slide is a page, with the speaker's notes below it. */
export const readSlides: Extract = async function* (file) {
  await checkZip(file.path);
  const { content } = await OfficeParser.parseOffice(await readFile(file.path), CONFIG);
  for (const node of content) yield pageOf(slideText(node));
};

function slideText(slide: OfficeContentNode): string {
  const notes = blocks(slide.notes ?? []);
  return [...blocks([slide]), ...(notes.length > 0 ? ['Notes:', ...notes] : [])].join('\n');
}

/** The blocks of text below some nodes, in order. */
function blocks(nodes: OfficeContentNode[]): string[] {
  return nodes.flatMap((node) => {
    switch (node.type) {
      case 'heading':
        return withPrefix('#'.repeat(levelOf(node)), node);
      case 'list':
        return withPrefix('-', node);
      case 'paragraph':
      case 'code':
      case 'text':
        return [inline(node)].filter((text) => text.trim() !== '');
      case 'table':
        return [(node.children ?? []).map(rowText).join('\n')];
      case 'image':
        return [UNREAD_PICTURE];
      case 'break':
        return [];
      default:
        return blocks(node.children ?? []);
    }
  });
}

function withPrefix(prefix: string, node: OfficeContentNode): string[] {
  const text = inline(node).trim();
  return text ? [`${prefix} ${text}`] : [];
}

const rowText = (row: OfficeContentNode): string =>
  (row.children ?? []).map((cell) => inline(cell).replaceAll(/\s+/g, ' ').trim()).join('\t');

/** The text of a block; a break within it is a line end. */
function inline(node: OfficeContentNode): string {
  if (node.type === 'break') return '\n';
  if (!node.children?.length) return node.text ?? '';
  return node.children.map(inline).join('');
}

function levelOf({ metadata }: OfficeContentNode): number {
  const level = metadata && 'level' in metadata ? metadata.level : 1;
  return Math.min(Math.max(level || 1, 1), 6);
}
