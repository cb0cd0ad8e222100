import { z } from 'zod';
import { relativeFile } from '../text/relative-file.js';

/** A file from the web, verified by its checksum. */
const sourceSchema = z.strictObject({
  /** For prepare.py. */
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'letters, digits, dots, - and _ only'),
  /** Tried in order. `debian:pool/…`: from this host's Debian mirror. */
  urls: z
    .array(
      z
        .string()
        .regex(
          /^(https?:\/\/[^\s@]+|debian:pool\/(?!\S*\.\.\/)[^\s@]+)$/,
          'an http or https address without credentials, or debian:pool/… for a file of Debian’s archive',
        ),
    )
    .min(1),
  bytes: z.number().int().positive(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/, '64 hexadecimal digits, lower case'),
  licence: z.string().min(1),
  about: z.string().min(1),
});
export type DataSource = z.infer<typeof sourceSchema>;

/** Data outside the task's folder, made by `prepare.py`: see docs/guides/writing-a-task.md. */
export const dataSchema = z
  .strictObject({
    /** None: prepare.py generates everything. */
    sources: z.array(sourceSchema).default([]),
    /** Outputs for the agent's workspace. */
    agent: z.array(relativeFile).min(1),
    /** Outputs next to referee.py, hidden from the agent. */
    hidden: z.array(relativeFile).default([]),
    prepareSeconds: z.number().int().positive().default(1800),
  })
  .refine(({ sources }) => new Set(sources.map(({ name }) => name)).size === sources.length, {
    path: ['sources'],
    message: 'two sources have the same name',
  })
  .refine(({ hidden }) => !hidden.some((path) => path === 'referee.py' || path.startsWith('player')), {
    path: ['hidden'],
    message: 'referee.py and player/ are code, which belongs into the task itself',
  });
export type TaskData = z.infer<typeof dataSchema>;

/** Data from `bench tasks prepare`, complete and unchanged. */
export interface PreparedData {
  /** Host folder with `agent/` (for the workspace) and `hidden/` (for the evaluator). */
  dir: string;
  /** SHA-256 over paths and checksums of its files, hex. */
  hash: string;
  /** A stand-in, not the data of the sources. */
  sample: boolean;
  files: readonly PreparedFile[];
}

export interface PreparedFile {
  /** Starts with `agent/` or `hidden/`. */
  path: string;
  bytes: number;
  sha256: string;
}

/** Path within the task. */
export const placeInTask = ({ path }: Pick<PreparedFile, 'path'>): string =>
  path.startsWith('agent/') ? `starter/${path.slice('agent/'.length)}` : `evaluator/${path.slice('hidden/'.length)}`;
