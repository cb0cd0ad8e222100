import { BenchError } from '../domain/errors.js';
import type { ConfigProblem, ValidatedFile } from '../domain/views/catalog.js';
import type { ConfigEntry } from './config-entries.js';
import { ConfigError } from './config-error.js';

/** Null: the error is not about the file. */
function problemsOf(file: string, error: unknown): ConfigProblem[] | null {
  if (error instanceof ConfigError) return [...error.problems];
  if (error instanceof BenchError) return [{ file, line: null, key: '', message: error.message }];
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined) return null;
  return [{ file: path ?? file, line: null, key: '', message: `cannot be read (${code})` }];
}

export function tryLoad<T>(
  file: string,
  kind: ValidatedFile['kind'],
  load: () => T,
): { value: T; broken: null } | { value: null; broken: ValidatedFile } {
  try {
    return { value: load(), broken: null };
  } catch (error) {
    const problems = problemsOf(file, error);
    if (problems === null) throw error;
    return { value: null, broken: { file, kind, problems } };
  }
}

/** ConfigError: its file is broken, even if a later folder has a valid one. */
export function loadEntry<T>({ file, replaces }: ConfigEntry, load: (file: string) => T): T {
  try {
    return load(file);
  } catch (error) {
    const problems = problemsOf(file, error);
    if (problems === null) throw error;
    throw new ConfigError(problems, { cause: error, replaces });
  }
}

/** A broken entry disables only itself. */
export function loadEach<T>(
  entries: readonly ConfigEntry[],
  kind: ValidatedFile['kind'],
  load: (entry: ConfigEntry) => T,
): { loaded: T[]; broken: ValidatedFile[] } {
  const loaded: T[] = [];
  const broken: ValidatedFile[] = [];
  for (const entry of entries) {
    const tried = tryLoad(entry.file, kind, () => load(entry));
    if (tried.broken === null) loaded.push(tried.value);
    else broken.push(tried.broken);
  }
  return { loaded, broken };
}
