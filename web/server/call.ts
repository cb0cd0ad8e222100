import type { Token } from '../../domain/views/page.js';

/** A request to a route, read and checked. */
export interface Call {
  /** Parts of the path, by name. */
  params: Readonly<Record<string, string>>;
  /** As the route's schema has it, completed. */
  query: Readonly<Record<string, unknown>>;
  /** Of a POST, likewise. */
  body: Readonly<Record<string, unknown>>;
  who: Token | null;
  header: (name: string) => string | undefined;
  /** Is the token still good? For answers that take long. */
  stillAllowed: () => boolean;
  /** Aborted once nobody waits for the answer. */
  signal: AbortSignal;
}

/** An answer that is no document of JSON. */
export class Raw {
  constructor(
    readonly status: 200 | 206,
    readonly body: Uint8Array | ReadableStream<Uint8Array>,
    readonly headers: Readonly<Record<string, string>>,
  ) {}
}

/** What a route does; a document, or an answer of another kind. Throws BenchError. */
export type Handler = (call: Call) => Promise<unknown>;
