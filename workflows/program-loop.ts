import { isCancellation } from '@temporalio/workflow';
import type { AgentLoopInput, AgentLoopResult, RunProgramArgs, RunProgramResult } from '../domain/messages.js';
import type { EvaluationKind } from '../domain/run.js';
import { commandOptions, evaluationOptions, takingOptions } from './activity-options.js';
import { isSandboxLost, lastEpoch, startHeldContainer, whyLost } from './held-container.js';
import { HostLost, onHost } from './on-host.js';

export type ProgramLoopInput = Pick<AgentLoopInput, 'ticket' | 'hostId' | 'devices' | 'token' | 'epoch' | 'handedOn'>;

/** For a run without a limit of its own. */
const LONGEST_SECONDS = 7 * 24 * 3600;

/**
 * A program that plays by itself: started once in the sandbox, found again by whoever waits for it, answered when it asks for a
 * validation. In a new container it begins anew: what it knew is lost with the old one, and what it spent is spent.
 */
export async function programLoop(input: ProgramLoopInput): Promise<AgentLoopResult> {
  const { ticket, hostId, devices, token } = input;
  const { runId, evaluationSeconds } = ticket;
  const timeLimitSeconds = ticket.wallSeconds > 0 ? ticket.wallSeconds : LONGEST_SECONDS;
  let { epoch } = input;
  let step = 0;
  const last = lastEpoch(input.handedOn);
  try {
    for (;;) {
      try {
        return await played();
      } catch (error) {
        if (!isSandboxLost(error) || epoch >= last) throw error;
        await startHeldContainer(
          { hostId, epoch: epoch + 1, because: whyLost(error), last },
          (at) => ({ runId, epoch: at, devices, ...(token === undefined ? {} : { token }), replayThrough: 0 }),
          (at) => (epoch = at),
        );
      }
    }
  } catch (error) {
    if (isCancellation(error) || !(error instanceof HostLost)) throw error;
    return { hostLost: { epoch, step: 1, elapsedMs: 0, ending: null, ...(error.left ? { left: true as const } : {}) } };
  }

  async function played(): Promise<AgentLoopResult> {
    let answer: RunProgramArgs['answer'];
    for (;;) {
      const args: RunProgramArgs = { runId, epoch, timeLimitSeconds, ...(answer === undefined ? {} : { answer }) };
      const news: RunProgramResult = await onHost(
        { runId, hostId, epoch },
        commandOptions(hostId, timeLimitSeconds),
        (host) => host.runProgram(args),
      );
      step = news.step;
      if (news.kind === 'validate') {
        await evaluate('validate', step);
        answer = { number: news.number, step };
        continue;
      }
      if (news.kind === 'submit') return { end: { endReason: 'submit', ...(await final('submit')) }, step };
      await onHost({ runId, hostId, epoch }, takingOptions(hostId, evaluationSeconds), (host) =>
        host.takeSubmission({ runId, step, epoch, kind: 'forced' }),
      );
      return { end: { endReason: news.endReason, ...(await final('forced')) }, step };
    }
  }

  async function final(kind: EvaluationKind) {
    const { status } = await evaluate(kind, step);
    return { finalEvaluation: status, detail: null };
  }

  function evaluate(kind: EvaluationKind, at: number) {
    const seconds = kind === 'forced' ? 2 * evaluationSeconds : evaluationSeconds;
    return onHost({ runId, hostId, epoch }, evaluationOptions(hostId, seconds), (host) =>
      host.evaluate({ runId, step: at, epoch, kind }),
    );
  }
}
