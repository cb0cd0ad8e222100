import type { RunSetup } from '../../domain/views/run-head.js';
import type { Bench } from '../bench.js';
import { promptOf } from '../results/prompt.js';
import { asked } from './prompt.js';
import { runIdOf } from './resolve.js';

/** What a run was given. */
export async function runSetup(bench: Pick<Bench, 'database'>, ref: string): Promise<RunSetup> {
  const { pages } = await bench.database();
  const runId = await runIdOf(bench, ref);
  const [setup, firstPrompt] = await Promise.all([pages.runSetup(runId), firstPromptOf(bench, runId)]);
  return { ...setup, firstPrompt };
}

/** Null: an imported run came without it, and a program writes its own, from its first call on. */
async function firstPromptOf(bench: Pick<Bench, 'database'>, runId: string): Promise<RunSetup['firstPrompt']> {
  const prompt = await asked(promptOf(await bench.database(), runId, 1));
  if (prompt === null || prompt.messages.length === 0) return null;
  return prompt.messages.map(({ role, content }) => ({ role, content }));
}
