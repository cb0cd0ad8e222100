import type { z } from 'zod';
import type { PathParams } from './route.js';
import type { ROUTES, RouteName } from './routes.js';

// The page imports only types from here: zod never reaches the browser.

export type { LiveMessage, LiveMessages } from '../../domain/views/changes.js';
export type { ErrorDocument } from '../../domain/views/errors.js';
export type { ActionResult, Preview } from '../../domain/views/steering.js';
export type { SearchMessage, SearchMessages } from '../../domain/views/search.js';
export type { RouteName } from './routes.js';

type Routes = typeof ROUTES;

export type Answer<Name extends RouteName> = Routes[Name]['answer'] extends z.ZodType
  ? z.output<Routes[Name]['answer']>
  : Routes[Name]['answer'];

/** Lists are repeated keys; numbers and booleans are their text. */
export type Query<Name extends RouteName> = Routes[Name] extends { query: infer Schema extends z.ZodType }
  ? z.input<Schema>
  : Record<never, never>;

export type Params<Name extends RouteName> = PathParams<Routes[Name]['path']>;
