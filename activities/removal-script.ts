import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { RunDefinition } from '../domain/run/run.js';
import { quotedWord } from '../domain/text/shell-word.js';

/** So that only the node's work counts. Unchanged starter files do not count. '': nothing to do. */
export function removalScript({ task }: Pick<RunDefinition, 'task'>, taskDir: string, workspace: string): string {
  const { files, folders = [], whole = false } = task.submission;
  const made = whole ? [] : [...files, ...folders].filter((path) => !existsSync(join(taskDir, 'starter', path)));
  if (made.length === 0) return '';
  return `(cd -- ${quotedWord(workspace)} && command rm -rf -- ${made.map(quotedWord).join(' ')})\n`;
}
