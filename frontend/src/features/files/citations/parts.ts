export { FileChips } from './file-chips.tsx';
export { ReplySources } from './reply-sources.tsx';
export { SourceChip } from './source-chip.tsx';
