import type { Command } from 'commander';
import type { CliContext } from '../context.js';
import { findRun } from '../../operations/results/find-run.js';
import { followRun } from '../../operations/results/follow-run.js';
import { RunLog } from '../run-log.js';
import type { LogsDocument } from '../../domain/views/logs.js';

export function register(program: Command, context: CliContext): void {
  program
    .command('logs')
    .summary("print a run's steps and events in time order")
    .description("Print a run's steps, evaluations and events in time order, a line or two each.")
    .argument('<run>', 'id, or an unambiguous part of it')
    .option('-f, --follow', 'follow until the run ends; Ctrl-C leaves it running')
    .action(async (ref: string, options: { follow?: true }) => {
      const { output } = context;
      const { runId } = await findRun(context, ref);
      const interrupt = context.onInterrupt();
      const log = new RunLog(output);
      for await (const progress of followRun(context, runId, { once: options.follow !== true, signal: interrupt }))
        switch (progress.kind) {
          case 'look':
            log.add(progress.steps, progress.events);
            if (progress.isOver) log.addEnd(progress.run);
            break;
          case 'outage':
            output.log('The services do not answer; trying to restart them. Nothing is lost; Ctrl-C stops following.');
            break;
          case 'recovered':
            output.log('The services answer again.');
        }
      output.json({ runId, entries: log.entries } satisfies LogsDocument);
      if (log.count === 0) output.print('Nothing has happened yet.');
      if (interrupt.aborted) output.log(`The run continues. Follow it: bench logs -f ${runId}`);
    });
}
