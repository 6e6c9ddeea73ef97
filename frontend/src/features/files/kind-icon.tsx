import type { FileKind } from '@stolas/backend/contract';
import { File, FileCode, FileSpreadsheet, FileText, FileType, Image } from 'lucide-react';

const ICONS: Record<FileKind, typeof File> = {
  pdf: FileText,
  image: Image,
  table: FileSpreadsheet,
  text: FileType,
  markdown: FileType,
  code: FileCode,
  document: FileText,
  other: File,
};

/** An icon for the kind of a file. */
export function KindIcon({ kind, className }: { kind: FileKind; className?: string }) {
  const Icon = ICONS[kind];
  return <Icon aria-hidden="true" className={className} />;
}
