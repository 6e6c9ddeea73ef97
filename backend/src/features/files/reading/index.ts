export { createByteCache } from './byte-cache.ts';
export { createReading, type Reading, readingJobs, readingSweeps } from './create.ts';
export { hasPicture } from './extract.ts';
export type { LocalCopies } from './local-copies.ts';
export type { ReadingStore } from './reading-model.ts';
export { readingRoutes } from './routes.ts';
export type { FileTexts } from './text-store.ts';
