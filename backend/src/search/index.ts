export { createMongoMessageSearch, defineSearchModel } from './entry-model.ts';
export type { MessageMatch, MessageSearch, SearchableMessage } from './port.ts';
export { findWords } from './words.ts';
