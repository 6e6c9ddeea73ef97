export { searchMessages } from './find.ts';
export { createIndexer, INDEX_EVERY_MS, type OnPartition } from './indexer.ts';
