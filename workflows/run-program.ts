import type { RunProgramArgs } from '../domain/model/messages.js';
import type { EvaluationKind, RunEnd } from '../domain/run/run.js';
import { commandOptions, evaluationOptions, takingOptions } from './activity-options.js';
import { inContainer } from './replaced-container.js';
import { onHost } from './on-host.js';
import type { RunState } from './run-state.js';

/** For a run without a limit of its own. */
const LONGEST_SECONDS = 7 * 24 * 3600;

/** A new container starts it afresh, without its state but with its spending. Throws HostLost. */
export const playProgram = (run: RunState): Promise<RunEnd> => inContainer(run, () => untilItEnds(run));

async function untilItEnds(run: RunState): Promise<RunEnd> {
  const { runId, wallSeconds, evaluationSeconds } = run.ticket;
  const { epoch } = run.progress;
  const timeLimitSeconds = wallSeconds > 0 ? wallSeconds : LONGEST_SECONDS;
  let answer: RunProgramArgs['answer'];
  for (;;) {
    const args: RunProgramArgs = { runId, epoch, timeLimitSeconds, ...(answer === undefined ? {} : { answer }) };
    // The sandbox keeps the limit, and takes waits off it.
    const news = await onHost(run.at, commandOptions(run.hostId, LONGEST_SECONDS), (host) => host.runProgram(args));
    const { step } = news;
    if (news.kind === 'validate') {
      await evaluate(run, 'validate', step);
      answer = { number: news.number, step };
      continue;
    }
    if (news.kind === 'submit')
      return { endReason: 'submit', finalEvaluation: await evaluate(run, 'submit', step), detail: null };
    await onHost(run.at, takingOptions(run.hostId, evaluationSeconds), (host) =>
      host.takeSubmission({ runId, step, epoch, kind: 'forced' }),
    );
    return { endReason: news.endReason, finalEvaluation: await evaluate(run, 'forced', step), detail: null };
  }
}

async function evaluate(run: RunState, kind: EvaluationKind, step: number): Promise<RunEnd['finalEvaluation']> {
  const { runId, evaluationSeconds } = run.ticket;
  const { epoch } = run.progress;
  const seconds = kind === 'forced' ? 2 * evaluationSeconds : evaluationSeconds;
  const { status } = await onHost(run.at, evaluationOptions(run.hostId, seconds), (host) =>
    host.evaluate({ runId, step, epoch, kind }),
  );
  return status;
}
