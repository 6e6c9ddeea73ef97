export { searchMessages } from './find.ts';
export { createIndexer, INDEX_EVERY_MS } from './indexer.ts';
