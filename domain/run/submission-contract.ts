import { z } from 'zod';
import { relativeFile } from '../text/relative-file.js';

/** The only files taken. Paths are relative to the workspace; regular files only. */
export const submissionSchema = z
  .strictObject({
    files: z.array(relativeFile).default([]),
    /** Taken if they exist. `*` in the last part matches anything: `*.py`. */
    optional: z.array(relativeFile).default([]),
    /** Every file is taken, at any depth; each folder must exist and contain at least one. */
    folders: z.array(relativeFile).default([]),
    /** The whole workspace, with modes and links, for evaluators of kind `harbor`. */
    whole: z.literal(true).optional(),
    /** Files and nested folders in all. */
    maxFiles: z.number().int().positive().max(10_000).default(1000),
    /** In all, by apparent size: a sparse file counts in full. */
    maxBytes: z
      .number()
      .int()
      .positive()
      .default(16 * 1024 * 1024),
  })
  .refine((s) => ![...s.files, ...s.folders].some((path) => path.includes('*')), {
    path: ['files'],
    message: 'only submission.optional may contain patterns with *',
  })
  .refine((s) => !s.optional.some((path) => /\*.*\//.test(path) || /[?[\]]/.test(path)), {
    path: ['optional'],
    message: 'a pattern has * in its last part alone, and no ? or [ ]',
  })
  .refine((s) => s.whole === true || s.files.length + s.folders.length > 0, {
    path: ['files'],
    message: 'name at least one file here, or a folder in submission.folders',
  })
  .refine((s) => s.whole === undefined || s.files.length + s.folders.length + s.optional.length === 0, {
    path: ['whole'],
    message: 'takes everything: name no files, folders or optional with it',
  })
  .refine(
    (s) =>
      new Set([...s.files, ...s.optional, ...s.folders]).size === s.files.length + s.optional.length + s.folders.length,
    {
      path: ['files'],
      message: 'a path is named twice in files, optional and folders',
    },
  );
export type SubmissionContract = z.infer<typeof submissionSchema>;

/** For messages: `model.py, model/ (all its files), notes.txt (optional)`. */
export function submissionNames(contract: SubmissionContract): string {
  if (contract.whole === true) return 'the whole working folder';
  return [
    ...contract.files,
    ...contract.folders.map((path) => `${path}/ (all its files)`),
    ...contract.optional.map((path) => `${path} (optional)`),
  ].join(', ');
}
