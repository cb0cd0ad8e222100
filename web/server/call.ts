import type { z } from 'zod';
import type { Token } from '../../domain/views/page.js';
import type { PathParams, Route } from '../api/route.js';

/** A request to a route, read and checked. */
export interface Call<To extends Route = Route> {
  /** Parts of the path, by name. */
  params: Readonly<PathParams<To['path']>>;
  /** As the route's schema has it, completed. */
  query: Sent<To, 'query'>;
  /** Of a POST, likewise. */
  body: Sent<To, 'body'>;
  who: Who<To['role']>;
  header: (name: string) => string | undefined;
  /** Is the token still good? For answers that take long. */
  stillAllowed: () => boolean;
  /** Aborted once no client waits for the answer. */
  signal: AbortSignal;
}

type Sent<To extends Route, Part extends 'query' | 'body'> =
  To extends Record<Part, infer Schema extends z.ZodType>
    ? Readonly<z.output<Schema>>
    : Readonly<Record<string, unknown>>;

/** A route for all is called without a token. */
type Who<Role> = Role extends null ? null : Token;

/** An answer that is no document of JSON. */
export class Raw {
  constructor(
    readonly status: 200 | 206,
    readonly body: Uint8Array | ReadableStream<Uint8Array>,
    readonly headers: Readonly<Record<string, string>>,
  ) {}
}

/** A document as the route's schema has it; texts, bytes and streams are `Raw`. */
type Answer<To extends Route> =
  To['answer'] extends z.ZodType<infer Document> ? Document : To['answer'] extends string ? Raw : unknown;

/** What a route does. Throws BenchError. */
export type Handler<To extends Route = Route> = {
  // A method, so that handlers of all routes go into one list: the server reads each request by the schemas of its own route.
  answer(call: Call<To>): Promise<Answer<To>>;
}['answer'];

/** A handler for each of these routes. */
export type Handlers<Routes extends Readonly<Record<string, Route>>> = {
  [Name in keyof Routes]: Handler<Routes[Name]>;
};
