import { batchRoutes } from './batches.js';
import { episodeRoutes } from './episodes.js';
import { eventRoutes } from './events.js';
import { homeRoutes } from './home.js';
import { integrityRoutes } from './integrity.js';
import { liveRoutes } from './live.js';
import { personActions, personRoutes } from './person.js';
import { pairRoutes } from './pairs.js';
import type { Route } from './route.js';
import { resultRoutes } from './results.js';
import { runRoutes } from './runs.js';
import { searchRoutes } from './search.js';
import { sqlRoutes } from './sql.js';
import { steeringRoutes } from './steering.js';
import { subjectRoutes } from './subjects.js';

export const API = '/api/v1';

export const ROUTES = {
  ...homeRoutes,
  ...batchRoutes,
  ...runRoutes,
  ...eventRoutes,
  ...resultRoutes,
  ...episodeRoutes,
  ...integrityRoutes,
  ...subjectRoutes,
  ...searchRoutes,
  ...sqlRoutes,
  ...pairRoutes,
  ...personRoutes,
  ...liveRoutes,
};
export type RouteName = keyof typeof ROUTES;

export const ALL_ROUTES: Record<string, Route> = { ...ROUTES, ...steeringRoutes, ...personActions };
