import type { Statements } from '../statements.js';

/** Those of these versions of tasks whose starter has a score. */
export async function measuredBaselines(run: Statements, taskHashes: readonly string[]): Promise<string[]> {
  const rows = await run<{ hash: string }>(
    'measuredBaselines',
    'select content_hash as hash from baselines where content_hash = any ($1)',
    [taskHashes],
  );
  return rows.map(({ hash }) => hash);
}
