export { createIndexer, INDEX_EVERY_MS } from './indexer.ts';
export { searchRoutes } from './routes.ts';
export { createSearchService } from './service.ts';
export { createUnindexedStore } from './unindexed-model.ts';
