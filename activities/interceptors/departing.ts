import type { ActivityInterceptors, ActivityInterceptorsFactory } from '@temporalio/worker';
import { HostLeft } from '../../domain/errors.js';
import type { Departure } from '../../domain/ports/departure.js';
import { isWorkerShutdown } from '../cancellation.js';

/** These move to another host; slices move by themselves. Snapshots and removals still run. */
const MOVES = ['startContainer', 'executeCommand', 'runProgram', 'takeSubmission', 'evaluate', 'evaluateHidden'];

/** After these the run thinks about its next command, in its container. */
const SETTLE = ['startContainer', 'executeCommand'];

interface OfRun {
  runId: string;
  epoch: number;
  step: number;
}

const leaves = ({ runId }: OfRun): HostLeft => new HostLeft(`the host of run ${runId} is leaving`);

/** Nothing starts or is retried on a leaving host: the run moves with its last snapshot. */
export const departing =
  (departure: Departure): ActivityInterceptorsFactory =>
  ({ info, cancellationSignal }): ActivityInterceptors => ({
    inbound: {
      async execute(input, next) {
        if (!MOVES.includes(info.activityType)) return await next(input);
        const args = input.args[0] as OfRun;
        const isCommand = info.activityType === 'executeCommand';
        if (departure.begun) {
          throw leaves(args);
        }
        departure.enter(args.runId);
        let settled: number | null = null;
        try {
          const result = await next(input);
          if (SETTLE.includes(info.activityType)) settled = args.epoch;
          if (departure.begun && isCommand) await departure.keep(args);
          return result;
        } catch (error) {
          throw departure.begun && isWorkerShutdown(cancellationSignal) ? leaves(args) : error;
        } finally {
          departure.leave(args.runId, settled);
        }
      },
    },
  });
