import { searchRequestSchema } from '../../domain/requests/search.js';
import { route } from './route.js';

/** `event` names a `SearchMessages` entry, `data` is its JSON; ends with `done` or `failed`. */
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
