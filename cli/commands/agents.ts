import type { Command } from 'commander';
import { listAgents } from '../../operations/catalog/list-agents.js';
import type { CliContext } from '../context.js';
import { renderTable } from '../render/table.js';
import type { AgentsDocument } from '../../domain/views/catalog.js';

export function register(program: Command, context: CliContext): void {
  program
    .command('agents')
    .summary('list agent configurations')
    .description('List agent configurations: prompts, parser and limits, one file each under configs/agents.')
    .action(() => {
      const { output } = context;
      const agents = listAgents(context);
      output.json({ agents } satisfies AgentsDocument);
      output.print(
        renderTable(
          agents,
          [
            { title: 'agent', value: (agent) => agent.name },
            { title: 'parser', value: (agent) => agent.outputParser },
            { title: 'description', value: (agent) => agent.description },
          ],
          output.colors,
        ),
      );
    });
}
