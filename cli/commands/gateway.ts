import type { Command } from 'commander';
import { gateway } from '../../operations/results/gateway.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../examples.js';
import { formatCost } from '../render/format.js';
import { renderTable } from '../render/table.js';
import type { GatewayDocument } from '../../domain/views/gateway.js';

export function register(program: Command, context: CliContext): void {
  const command = program
    .command('gateway')
    .summary('show the model proxy of agents that are programs, and the runs that use it')
    .description(
      'Show the gateway: the metered model proxy through which agents of the kind `program` reach their models, and the runs that use it now. ' +
        'Each worker serves it to the runs of its host, so there is nothing to start. See docs/concepts/gateway.md.',
    )
    .action(async () => {
      const shown = await gateway(context);
      context.output.json(shown satisfies GatewayDocument);
      const { address, routes, agents, runs } = shown;
      const table = renderTable(
        runs,
        [
          { title: 'run', value: (run) => run.runId },
          { title: 'agent', value: (run) => run.agent },
          { title: 'model', value: (run) => run.model },
          { title: 'task', value: (run) => run.task },
          { title: 'host', value: (run) => run.hostId ?? '–' },
          { title: 'calls', value: (run) => String(run.calls), align: 'right' },
          { title: 'replayed', value: (run) => String(run.replayed), align: 'right' },
          { title: 'cost', value: (run) => formatCost(run.costUsd), align: 'right' },
        ],
        context.output.colors,
      );
      context.output.print(
        [
          `Served by each worker to the containers of its runs, at ${address}: ${routes.join(', ')}`,
          `Agents that use it: ${agents.join(', ') || 'none'}`,
          runs.length === 0 ? 'No run uses it now.' : table,
        ].join('\n'),
      );
    });
  addExamples(command, [
    ['bench gateway', 'the runs that use it now'],
    ['bench gateway --json', 'the same, as JSON'],
  ]);
}
