import { randomUUID } from 'node:crypto';
import type { Router } from 'express';
import type { RateLimit } from '../../../http/index.ts';
import type { FormStorage, ObjectStore } from '../../../objects/index.ts';
import type { Sweep } from '../../define-feature.ts';
import { type Attach, formRoutes } from './form.ts';
import { createGrants, type GrantsDeps, type UploadLimitsFor } from './grants.ts';
import { uploadRoutes } from './routes.ts';
import { createUploadService } from './service.ts';
import { createUploadSweep } from './sweep.ts';
import type { UploadStore } from './upload-model.ts';

export { GRANT_MS } from './grants.ts';
export {
  createUploadStore,
  defineUploadModel,
  type UploadStore,
} from './upload-model.ts';

export interface UploadsDeps {
  uploads: UploadStore;
  objects: ObjectStore & FormStorage;
  limitsFor: UploadLimitsFor;
  storedBytes: GrantsDeps['storedBytes'];
  now: () => Date;
}

const grantsOf = (deps: UploadsDeps) => createGrants({ ...deps, newName: randomUUID });

/** The routes that begin, continue and end uploads to the store. */
export const createUploadRoutes = (deps: UploadsDeps & { rateLimit: RateLimit }): Router =>
  uploadRoutes({ ...deps, service: createUploadService({ ...deps, grants: grantsOf(deps) }) });

/** The route of uploads by form, which reads its body itself. */
export const createFormRoutes = (
  deps: UploadsDeps & { rateLimit: RateLimit; attach: Attach },
): Router => formRoutes({ ...deps, grants: grantsOf(deps) });

/** Removes uploads that were not attached within a day, and what attached ones have left. */
export const uploadSweep = (deps: Pick<UploadsDeps, 'uploads' | 'objects' | 'now'>): Sweep => ({
  name: 'ended uploads',
  everyMs: 60_000,
  run: createUploadSweep(deps),
});
