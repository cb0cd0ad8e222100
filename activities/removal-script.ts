import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { RunDefinition } from '../domain/run/run.js';
import { quotedWord } from '../domain/text/shell-word.js';

/**
 * Shell that removes what the parent of a node submitted, so that only what the node makes counts. Files of the starter are to be gone on
 * with: they stay, and count once they have changed. '': there is nothing to remove.
 */
export function removalScript({ task }: Pick<RunDefinition, 'task'>, taskDir: string, workspace: string): string {
  const { files, folders = [], whole = false } = task.submission;
  const made = whole ? [] : [...files, ...folders].filter((path) => !existsSync(join(taskDir, 'starter', path)));
  if (made.length === 0) return '';
  return `(cd -- ${quotedWord(workspace)} && command rm -rf -- ${made.map(quotedWord).join(' ')})\n`;
}
