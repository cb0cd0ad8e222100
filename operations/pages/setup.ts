import type { RunPages } from '../../domain/ports/reading/run-pages.js';
import type { RunSetup } from '../../domain/views/run-head.js';
import { promptOf, type PromptPorts } from '../results/prompt.js';
import { promptOrNull } from './prompt.js';
import { runIdOf } from './resolve.js';

export async function runSetup(
  ports: PromptPorts & { pages: Pick<RunPages, 'runSetup'> },
  ref: string,
): Promise<RunSetup> {
  const runId = await runIdOf(ports, ref);
  const [setup, firstPrompt] = await Promise.all([ports.pages.runSetup(runId), firstPromptOf(ports, runId)]);
  return { ...setup, firstPrompt };
}

/** Null: an imported run has no prompt, and a program writes its own from its first call on. */
async function firstPromptOf(ports: PromptPorts, runId: string): Promise<RunSetup['firstPrompt']> {
  const prompt = await promptOrNull(promptOf(ports, runId, 1));
  if (prompt === null || prompt.messages.length === 0) return null;
  return prompt.messages.map(({ role, content }) => ({ role, content }));
}
