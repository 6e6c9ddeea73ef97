import { Router } from 'express';
import { SearchQuery } from '../../../contract/search.ts';
import { byUser, handler, type RateLimit } from '../../../http/index.ts';
import type { SearchService } from './service.ts';

interface RoutesDeps {
  messageSearch: SearchService;
  rateLimit: RateLimit;
}

export function searchRoutes({ messageSearch, rateLimit }: RoutesDeps): Router {
  const router = Router();
  router.get(
    '/search',
    // Results follow the typing.
    rateLimit({ name: 'search', points: 120, seconds: 60, key: byUser }),
    handler({ query: SearchQuery }, ({ actor, query }) => messageSearch.find(actor, query)),
  );
  return router;
}
