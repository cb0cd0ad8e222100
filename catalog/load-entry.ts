import { BenchError } from '../domain/errors.js';
import type { ConfigProblem, ValidatedFile } from '../domain/views/catalog.js';
import type { ConfigEntry } from './config-entries.js';
import { ConfigError } from './config-error.js';

/** What is wrong with a file, from the error that came of loading it; null: the error is not about the file. */
function problemsOf(file: string, error: unknown): ConfigProblem[] | null {
  if (error instanceof ConfigError) return [...error.problems];
  if (error instanceof BenchError) return [{ file, line: null, key: '', message: error.message }];
  const { code, syscall, path } = error as NodeJS.ErrnoException;
  if (code === undefined || syscall === undefined) return null;
  return [{ file: path ?? file, line: null, key: '', message: `cannot be read (${code})` }];
}

/** What a file holds, or what is wrong with it. */
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

/** Loads one entry that was asked for. ConfigError: its file is broken, whatever lies below it. */
export function loadEntry<T>({ file, replaces }: ConfigEntry, load: (file: string) => T): T {
  try {
    return load(file);
  } catch (error) {
    const problems = problemsOf(file, error);
    if (problems === null) throw error;
    throw new ConfigError(problems, { cause: error, replaces });
  }
}

/** Loads entries; a broken one disables itself alone. */
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
