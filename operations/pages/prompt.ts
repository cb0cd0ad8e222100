import { createHash } from 'node:crypto';
import { buildMessages, toolDefinitions } from '../../domain/agent/messages.js';
import { BenchError } from '../../domain/errors.js';
import { estimateTokens } from '../../domain/estimate-tokens.js';
import type { ChatMessage } from '../../domain/model.js';
import type { Prompt } from '../../domain/views/steps.js';
import type { Bench } from '../bench.js';
import { runIdOf } from './resolve.js';

const shown = ({ role, content, toolCalls }: ChatMessage): Prompt['messages'][number] => ({
  role,
  content,
  ...(toolCalls !== undefined && { toolCalls }),
});

/** What the model was given before a step, rebuilt from the record, and whether that is what was sent. */
export async function stepPrompt(bench: Pick<Bench, 'database'>, ref: string, step: number): Promise<Prompt> {
  const { store, pages, queries } = await bench.database();
  const runId = await runIdOf(bench, ref);
  const [{ workspace }, definition, transcript, request] = await Promise.all([
    queries.showRun(runId),
    store.definition(runId),
    store.transcript(runId),
    pages.requestHash(runId, step),
  ]);
  if (workspace === null || step < 1 || step > (transcript.at(-1)?.step ?? 0) + 1)
    throw new BenchError('not_found', `run ${runId} has no step ${step}`, {
      code: 'step.not_found',
      remedy: '`bench trajectory` lists its steps.',
    });
  const run = { ...definition, memoryRecords: definition.memory === true ? await store.memoryRecords(runId) : null };
  const before = (next: number): ChatMessage[] =>
    buildMessages(
      run,
      transcript.filter((taken) => taken.step < next),
      workspace,
    );
  const messages = before(step);
  const earlier = step > 1 ? before(step - 1) : null;
  const firstOther = messages.findIndex((message, i) => JSON.stringify(message) !== JSON.stringify(earlier?.[i]));
  const rebuilt =
    request === null
      ? null
      : createHash('sha256')
          .update(JSON.stringify([request.provider, request.model, messages]))
          .digest('hex');
  return {
    runId,
    step,
    messages: messages.map(shown),
    sameAsBefore: earlier === null ? null : firstOther === -1 ? messages.length : firstOther,
    tokens: estimateTokens(messages, toolDefinitions(run, workspace)),
    tools: toolDefinitions(run, workspace)?.map(({ name }) => name) ?? [],
    proof: request === null ? 'not_recorded' : rebuilt === request.hash ? 'equal' : 'differs',
    requestHash: request?.hash ?? null,
  };
}
