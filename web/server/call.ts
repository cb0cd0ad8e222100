import type { z } from 'zod';
import type { Token } from '../../domain/views/page.js';
import type { PathParams, Route } from '../api/route.js';

export interface Call<To extends Route = Route> {
  params: Readonly<PathParams<To['path']>>;
  query: Sent<To, 'query'>;
  body: Sent<To, 'body'>;
  who: Who<To['role']>;
  header: (name: string) => string | undefined;
  /** For long answers: is the token still valid? */
  stillAllowed: () => boolean;
  /** Aborted once no client waits for the answer. */
  signal: AbortSignal;
}

type Sent<To extends Route, Part extends 'query' | 'body'> =
  To extends Record<Part, infer Schema extends z.ZodType>
    ? Readonly<z.output<Schema>>
    : Readonly<Record<string, unknown>>;

type Who<Role> = Role extends null ? null : Token;

/** An answer other than JSON. */
export class Raw {
  constructor(
    readonly status: 200 | 206,
    readonly body: Uint8Array | ReadableStream<Uint8Array>,
    readonly headers: Readonly<Record<string, string>>,
  ) {}
}

/** A document by the route's schema; texts, bytes and streams are `Raw`. */
type Answer<To extends Route> =
  To['answer'] extends z.ZodType<infer Document> ? Document : To['answer'] extends string ? Raw : unknown;

/** Throws BenchError. */
export type Handler<To extends Route = Route> = {
  // A method, so that handlers of all routes fit one list (bivariance).
  answer(call: Call<To>): Promise<Answer<To>>;
}['answer'];

export type Handlers<Routes extends Readonly<Record<string, Route>>> = {
  [Name in keyof Routes]: Handler<Routes[Name]>;
};
