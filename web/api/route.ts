import type { z } from 'zod';
import type { Role } from '../../domain/home/access.js';

/** One route: what is sent, what is answered, and who may ask. */
export interface Route {
  method: 'GET' | 'POST' | 'DELETE';
  /** Below `/api/v1`; `:name` is a parameter. */
  path: string;
  /** For the reference. */
  summary: string;
  /** null: whoever reaches the server. */
  role: Role | null;
  /** Changes nothing, though it is a POST: what is asked is too long for an address. */
  reads?: boolean;
  /** How long it may take; default: that of the server. */
  limitMs?: number;
  /** Search parameters; lists are repeated keys. */
  query?: z.ZodObject;
  /** JSON. */
  body?: z.ZodObject;
  /** JSON, text as it is, bytes, or server-sent events. */
  answer: z.ZodType | 'text' | 'bytes' | 'events';
}

/** `:id` and the like, in a path. */
type Names<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | Names<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** The parameters of a path; of a path that is only known at run time, any. */
export type PathParams<Path extends string> = Record<string extends Path ? string : Names<Path>, string>;

export const route = <const Declared extends Route>(declared: Declared): Declared => declared;
