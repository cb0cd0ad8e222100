import { buildMessages } from '../../domain/agent/messages.js';
import { BenchError } from '../../domain/errors.js';
import type { RunSetup } from '../../domain/views/run-head.js';
import type { Bench } from '../bench.js';
import { runIdOf } from './resolve.js';

/** What a run was given. */
export async function runSetup(bench: Pick<Bench, 'database'>, ref: string): Promise<RunSetup> {
  const { pages } = await bench.database();
  const runId = await runIdOf(bench, ref);
  const [setup, firstPrompt] = await Promise.all([pages.runSetup(runId), firstPromptOf(bench, runId)]);
  return { ...setup, firstPrompt };
}

/** Null: an imported run came without what its prompts were made of, and one that has no sandbox yet has none. */
async function firstPromptOf(bench: Pick<Bench, 'database'>, runId: string): Promise<RunSetup['firstPrompt']> {
  const { store, queries } = await bench.database();
  const { workspace } = await queries.showRun(runId);
  if (workspace === null) return null;
  try {
    const definition = await store.definition(runId);
    const memoryRecords = definition.memory === true ? await store.memoryRecords(runId) : null;
    const messages = buildMessages({ ...definition, memoryRecords }, [], workspace);
    return messages.map(({ role, content }) => ({ role, content }));
  } catch (error) {
    if (error instanceof BenchError && error.code === 'run.imported') return null;
    throw error;
  }
}
