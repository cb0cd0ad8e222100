import {
  ActivityFailure,
  ApplicationFailure,
  continueAsNew,
  proxyActivities,
  workflowInfo,
} from '@temporalio/workflow';
import {
  FAILURE,
  type AgentLoopInput,
  type AgentLoopResult,
  type EvaluateResult,
  type HostActivities,
  type ModelActivities,
} from '../domain/messages.js';
import type { EndReason, FinalEvaluation } from '../domain/outcomes.js';
import type { EvaluationKind } from '../domain/run.js';
import { containerOptions, modelOptions, timedOptions } from './activity-options.js';

/** The steps of a run: ask the model, run its command, evaluate when asked to; two activities a step. */
export async function agentLoop(input: AgentLoopInput): Promise<AgentLoopResult> {
  const { ticket, hostId, devices } = input;
  const { runId } = ticket;
  let { epoch, step, elapsedMs, ending } = input;

  const model = proxyActivities<ModelActivities>(modelOptions(ticket.provider));
  const container = proxyActivities<HostActivities>(containerOptions(hostId));
  const evaluator = proxyActivities<HostActivities>(timedOptions(hostId, ticket.evaluationSeconds));

  /** Do it in the current container; if that is lost, in a new one into which the earlier steps were replayed. */
  const inContainer = async <T>(through: number, work: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!isSandboxLost(error)) throw error;
        epoch += 1;
        if (epoch > MAX_EPOCHS) throw error;
        await container.startContainer({ runId, epoch, devices, replayThrough: through });
      }
    }
  };
  const evaluate = async (kind: EvaluationKind): Promise<EvaluateResult> => {
    const result = await inContainer(step, () => evaluator.evaluate({ runId, step, epoch, kind }));
    elapsedMs += result.ms;
    return result;
  };
  const finish = (endReason: EndReason, last: EvaluateResult): AgentLoopResult => ({
    end: { endReason, finalEvaluation: last.status satisfies FinalEvaluation, detail: null },
    step,
  });

  for (;;) {
    const secondsLeft = ticket.wallSeconds === 0 ? Infinity : ticket.wallSeconds - elapsedMs / 1000;
    if (step > ticket.maxSteps) ending ??= 'max_steps';
    else if (secondsLeft <= 0) ending ??= 'wall_time';
    if (ending !== null) {
      step = Math.min(step, ticket.maxSteps);
      return finish(ending, await evaluate('forced'));
    }

    const next = await model.nextAction({ runId, step });
    elapsedMs += next.ms;
    if (next.kind === 'end') {
      ending = next.endReason ?? 'format';
      continue;
    }

    const timeLimitSeconds = Math.max(1, Math.ceil(Math.min(ticket.commandSeconds, secondsLeft)));
    const host = proxyActivities<HostActivities>(timedOptions(hostId, timeLimitSeconds));
    const command = await inContainer(step - 1, () => host.executeCommand({ runId, step, epoch, timeLimitSeconds }));
    elapsedMs += command.ms;
    if (command.requested === 'submit') return finish('submit', await evaluate('submit'));
    if (command.requested === 'validate') await evaluate('validate');

    step += 1;
    const info = workflowInfo();
    if (info.historyLength >= input.continueAfterEvents || info.continueAsNewSuggested) {
      await continueAsNew<typeof agentLoop>({ ...input, epoch, step, elapsedMs, ending });
    }
  }
}

/** A container that is lost this often is the host's trouble: the run ends as infra_error. */
const MAX_EPOCHS = 10;

function isSandboxLost(error: unknown): boolean {
  return (
    error instanceof ActivityFailure &&
    error.cause instanceof ApplicationFailure &&
    error.cause.type === FAILURE.sandboxLost
  );
}
