import { z } from 'zod';
import { relativeFile } from '../text/relative-file.js';

/** A file that is fetched as it lies on the web; its checksum says that it is the right one. */
const sourceSchema = z.strictObject({
  /** Under which prepare.py asks for it. */
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'letters, digits, dots, - and _ only'),
  /** Tried in this order. `debian:pool/…`: from the mirror of Debian's archive that this host uses. */
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
  /** What it is and who made it. */
  about: z.string().min(1),
});
export type DataSource = z.infer<typeof sourceSchema>;

/** Data that do not lie in the task's folder: `prepare.py` makes them of sources, or of nothing. See docs/guides/writing-a-task.md. */
export const dataSchema = z
  .strictObject({
    /** None: prepare.py makes everything up. */
    sources: z.array(sourceSchema).default([]),
    /** Files and folders that it puts into the agent's workspace. */
    agent: z.array(relativeFile).min(1),
    /** Files and folders that it puts beside referee.py, out of the agent's sight. */
    hidden: z.array(relativeFile).default([]),
    /** Longest that prepare.py may take. */
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

/** Data that `bench tasks prepare` has made, whole and unchanged since. */
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
  /** From `agent/` or `hidden/` on. */
  path: string;
  bytes: number;
  sha256: string;
}

/** Where a prepared file lies in the task that it belongs to. */
export const placeInTask = ({ path }: Pick<PreparedFile, 'path'>): string =>
  path.startsWith('agent/') ? `starter/${path.slice('agent/'.length)}` : `evaluator/${path.slice('hidden/'.length)}`;
