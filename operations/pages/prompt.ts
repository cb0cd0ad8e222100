import { BenchError } from '../../domain/errors.js';
import { estimateTokens } from '../../domain/estimate-tokens.js';
import type { PromptDocument, PromptPage } from '../../domain/views/prompt.js';
import type { Bench } from '../bench.js';
import { promptOf } from '../results/prompt.js';
import { runIdOf } from './resolve.js';

/** The prompt of a step, as `bench prompt` has it, beside the one before. @throws BenchError (usage) for a step that asked no model. */
export async function stepPrompt(bench: Pick<Bench, 'database'>, ref: string, step: number): Promise<PromptPage> {
  const database = await bench.database();
  const runId = await runIdOf(bench, ref);
  const [prompt, before] = await Promise.all([
    promptOf(database, runId, step),
    step > 1 ? asked(promptOf(database, runId, step - 1)) : null,
  ]);
  const firstOther = prompt.messages.findIndex(
    (message, i) => JSON.stringify(message) !== JSON.stringify(before?.messages[i]),
  );
  return {
    ...prompt,
    sameAsBefore: before === null ? null : firstOther === -1 ? prompt.messages.length : firstOther,
    tokens: estimateTokens(prompt.messages, prompt.tools ?? undefined),
  };
}

/** Null: the step asked no model. */
export async function asked(prompt: Promise<PromptDocument>): Promise<PromptDocument | null> {
  try {
    return await prompt;
  } catch (error) {
    if (error instanceof BenchError && error.code === 'step.not_found') return null;
    throw error;
  }
}
