import { BenchError } from '../../domain/errors.js';
import { estimateTokens } from '../../domain/model/estimate-tokens.js';
import type { PromptDocument, PromptPage } from '../../domain/views/prompt.js';
import { promptOf, type PromptPorts } from '../results/prompt.js';
import { runIdOf } from './resolve.js';

/**
 * The prompt of a step, as `bench prompt` shows it, compared with the prompt before it.
 * @throws BenchError (usage) for a step that called no model.
 */
export async function stepPrompt(ports: PromptPorts, ref: string, step: number): Promise<PromptPage> {
  const runId = await runIdOf(ports, ref);
  const [prompt, before] = await Promise.all([
    promptOf(ports, runId, step),
    step > 1 ? promptOrNull(promptOf(ports, runId, step - 1)) : null,
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

/** Null: the step called no model. */
export async function promptOrNull(prompt: Promise<PromptDocument>): Promise<PromptDocument | null> {
  try {
    return await prompt;
  } catch (error) {
    if (error instanceof BenchError && error.code === 'step.not_found') return null;
    throw error;
  }
}
