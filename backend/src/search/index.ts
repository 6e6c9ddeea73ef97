export { createMongoMessageSearch, defineSearchModel } from './entry-model.ts';
export type { MessageMatch, SearchableMessage } from './port.ts';
export { findWords } from './words.ts';
