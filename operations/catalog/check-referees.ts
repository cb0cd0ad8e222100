import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { z } from 'zod';
import { findPython } from '../../backends/local/find-python.js';
import { BenchError } from '../../domain/errors.js';
import type { ConfigProblem, ValidatedFile } from '../../domain/views/catalog.js';
import type { Notice } from '../notices.js';

const foundSchema = z.array(z.array(z.tuple([z.int(), z.string()])));

/** Adds what is wrong with referees. Reads their syntax trees; runs nothing of a task. */
export async function checkReferees(
  { settings, notify }: { settings: { assetsRoot: string }; notify: (notice: Notice) => void },
  files: readonly ValidatedFile[],
): Promise<ValidatedFile[]> {
  const referees = files.map(({ file, kind }) => {
    const referee = join(dirname(file), 'evaluator', 'referee.py');
    return kind === 'task' && existsSync(referee) ? referee : null;
  });
  const read = referees.filter((path) => path !== null);
  if (read.length === 0) return [...files];
  const python = await findPython(undefined, null).catch(() => null);
  if (python === null) {
    notify({ code: 'referees.unread' });
    return [...files];
  }
  const { stdout, stderr, exitCode } = await execa(
    python,
    ['-sB', join(settings.assetsRoot, 'datasets', 'check_referees.py')],
    { input: JSON.stringify(read), reject: false },
  );
  if (exitCode !== 0) throw new BenchError('failed', `referees could not be read: ${String(stderr).slice(-800)}`);
  const found = foundSchema.parse(JSON.parse(String(stdout)));
  const problemsOf = (path: string): ConfigProblem[] =>
    (found[read.indexOf(path)] ?? []).map(([line, message]) => ({ file: path, line, key: '', message }));
  return files.map((file, index) => {
    const referee = referees[index];
    return referee == null ? file : { ...file, problems: [...file.problems, ...problemsOf(referee)] };
  });
}
