import { z } from 'zod';

/** A path within a folder: `model/weights.npz`. */
export const relativeFile = z
  .string()
  .min(1)
  .refine((path) => !path.startsWith('/') && !path.split('/').includes('..'), 'must be a path inside the folder')
  .refine(
    (path) => !path.includes('\0') && path.split('/').every((part) => part !== '' && part !== '.'),
    'must be a plain path without empty parts or "."',
  );
