import type { z } from 'zod';
import type { Role } from '../../domain/home/access.js';

export interface Route {
  method: 'GET' | 'POST' | 'DELETE';
  /** Below `/api/v1`; `:name` is a parameter. */
  path: string;
  summary: string;
  /** null: every client that reaches the server. */
  role: Role | null;
  /** A POST that changes nothing: its request is too long for a URL. */
  reads?: boolean;
  /** Default: the server's. */
  limitMs?: number;
  query?: z.ZodObject;
  body?: z.ZodObject;
  answer: z.ZodType | 'text' | 'bytes' | 'events';
}

type Names<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | Names<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** Any, if the path is only known at run time. */
export type PathParams<Path extends string> = Record<string extends Path ? string : Names<Path>, string>;

export const route = <const Declared extends Route>(declared: Declared): Declared => declared;
