import { forWorkspaces } from '../record-grants.ts';
import type { FilesFeature } from './feature.ts';
import { handOver } from './library/hand-over.ts';
import { findUsable } from './library/open.ts';
import { openContent } from './library/open-content.ts';
import { addUse, releaseConversation, selectForMessage, sizeOf } from './library/uses.ts';
import { evidenceFor } from './retrieval/evidence.ts';
import { contextOf } from './retrieval/files-context.ts';
import { copyToLibrary } from './uploads/copy.ts';

/** Binds functions of this feature to its object. */
export const bindTo =
  (files: FilesFeature) =>
  <Rest extends unknown[], Result>(call: (files: FilesFeature, ...rest: Rest) => Result) =>
  (...rest: Rest): Result =>
    call(files, ...rest);

/** What other features get as `others.files`. */
export type FilesService = ReturnType<typeof withCalls>;

/** The object of the feature with the functions that other features call. */
export function withCalls(files: FilesFeature) {
  const bind = bindTo(files);
  return {
    ...files,
    findMany: bind(findUsable),
    ...forWorkspaces(files.records),
    handOver: bind(handOver),
    selectForMessage: bind(selectForMessage),
    openContent: bind(openContent),
    /** For links. */
    copyToLibrary: bind(copyToLibrary),
    sizeOf: bind(sizeOf),
    addUse: bind(addUse),
    releaseConversation: bind(releaseConversation),
    evidenceFor: bind(evidenceFor),
    contextOf: bind(contextOf),
  };
}
