import type { ExportedMessage } from '../../../contract/conversations.ts';
import { escapeMarks, mark } from './markdown-format.ts';

interface Header {
  version: number;
  title: string;
  createdAt: string;
  exportedAt: string;
}

/** The beginning of an exported conversation. */
export const markdownHeader = ({ exportedAt, ...header }: Header): string =>
  `${mark('conversation', header)}\n# ${oneLine(header.title)}\n\n*Exported from STOLAS on ${utc(exportedAt)}*\n\n`;

/** One message of an exported conversation. */
export function markdownMessage({
  role,
  content,
  createdAt,
  status,
  ending,
  files,
}: ExportedMessage): string {
  const end = { ...(status && { status }), ...(ending && { ending }) };
  const data = { role, createdAt, ...end, ...(files && { files }) };
  const name = role === 'user' ? 'You' : 'STOLAS';
  const note = status ? ` (${status})` : ending ? ' (reached its length limit)' : '';
  const names = files?.length ? `Files: ${files.map(oneLine).join(', ')}\n\n` : '';
  return `${mark('message', data)}\n## ${name} · ${utc(createdAt)}${note}\n\n${names}${escapeMarks(content)}\n\n`;
}

/** '2026-11-22 08:30 UTC' */
const utc = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`;

const oneLine = (text: string): string => text.replace(/[\r\n]+/g, ' ');
