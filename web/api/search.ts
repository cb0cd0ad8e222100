import { searchRequestSchema } from '../../domain/requests/search.js';
import { route } from './route.js';

/** Server-sent events: `event` is a name of `SearchMessages`, `data` its JSON; it ends with `done` or `failed`. */
export const searchRoutes = {
  search: route({
    method: 'GET',
    path: '/search',
    summary: 'steps, files and events that contain a text, newest run first, as they are found',
    role: 'viewer',
    query: searchRequestSchema,
    answer: 'events',
  }),
};
