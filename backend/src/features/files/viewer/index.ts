import type { Router } from 'express';
import type { Core, WebTools } from '../../define-feature.ts';
import type { Reading } from '../reading/index.ts';
import { createPageViews } from './pages.ts';
import { createPictures } from './pictures.ts';
import { viewerRoutes } from './routes.ts';

/** The routes of the viewer. */
export const createViewer = (
  core: Pick<Core, 'objects' | 'reader' | 'now'> & WebTools,
  reading: Reading,
): Router => {
  const deps = { ...core, ...reading };
  return viewerRoutes({
    ...deps,
    pageViews: createPageViews(deps),
    pictures: createPictures(deps),
  });
};
