import { BenchError } from '../../domain/errors.js';
import type { RunReads } from '../../domain/ports/reading/runs.js';
import type { TreeReads } from '../../domain/ports/reading/trees.js';
import type { TreeDocument } from '../../domain/views/tree.js';

/** The search tree of a run, or around a node. @throws BenchError (usage) for a run without one. */
export async function runTree(
  { queries }: { queries: Pick<RunReads, 'findRun' | 'showRun'> & TreeReads },
  ref: string,
): Promise<TreeDocument> {
  const { runId } = await queries.findRun(ref);
  const tree = await queries.tree(runId);
  if (tree !== null) return tree;
  const { agent, status } = await queries.showRun(runId);
  throw new BenchError(
    'usage',
    status === 'queued'
      ? `run ${runId} has not begun, so it has no tree yet`
      : `run ${runId} has no tree: its agent ${agent} has no \`search:\` block`,
    {
      code: 'tree.not_found',
      remedy: `\`bench trajectory ${runId}\` shows its steps.`,
    },
  );
}
