// What the first load of the chat needs is small; everything else is loaded when it is first shown.

export { hideUnfinishedSource, sourcesAsNumbers, withSourceList } from './citations/source-text.ts';
export { FileViewer, MessageFiles, ReplySources, SourceLinks, StorageUse } from './lazy.tsx';
export { useFilePlace } from './place.ts';
