import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import type { CliContext } from '../context.js';
import { isOutage } from '../../operations/as-bench-error.js';
import { RunLog } from '../run-log.js';

const POLL_MS = 500;

export function register(program: Command, context: CliContext): void {
  program
    .command('logs')
    .summary("a run's steps and events in the order of time")
    .description("Print a run's steps, evaluations and events in the order of time, a line or two each.")
    .argument('<run>', 'id, or an unambiguous part of it')
    .option('-f, --follow', 'go on until the run ends; Ctrl-C leaves it running')
    .action(async (ref: string, options: { follow?: true }) => {
      const { output } = context;
      const { runId } = await (await context.database()).queries.findRun(ref);
      const interrupt = context.onInterrupt();
      const log = new RunLog(output);
      let waiting = false;
      for (;;) {
        try {
          const { queries } = await context.database();
          // Asked first: what belongs to an ended run is then complete.
          const run = await queries.findRun(runId);
          log.add(await queries.trajectory(runId, log.completeThrough), await queries.events({ runId }));
          if (waiting) output.log('The services answer again.');
          waiting = false;
          if (run.status === 'ended') {
            log.addEnd(run);
            break;
          }
        } catch (error) {
          if (options.follow !== true || !isOutage(error)) throw error;
          if (!waiting)
            output.log('The services do not answer; trying to bring them back. Nothing is lost; Ctrl-C leaves.');
          waiting = true;
          await context.reconnect();
        }
        if (options.follow !== true || interrupt.aborted) break;
        await sleep(POLL_MS, undefined, { signal: interrupt }).catch(() => undefined);
        if (interrupt.aborted) break;
      }
      output.json({ runId, entries: log.entries });
      if (log.entries.length === 0) output.print('Nothing has happened yet.');
      if (interrupt.aborted) output.log(`Left; the run goes on. Look on with: bench logs -f ${runId}`);
    });
}
