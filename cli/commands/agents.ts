import type { Command } from 'commander';
import { listAgents } from '../../operations/catalog/list-agents.js';
import type { CliContext } from '../context.js';
import { PLACES, placeText } from '../render/config-place.js';
import { renderTable } from '../render/table.js';
import type { AgentsDocument } from '../../domain/views/catalog.js';

export function register(program: Command, context: CliContext): void {
  program
    .command('agents')
    .summary('list agent configurations')
    .description(
      'Agent configurations: prompts, parser and limits, one file each in `agents/` of a configuration folder.',
    )
    .command('list', { isDefault: true })
    .summary('list agents (the default)')
    .description(`List agent configurations. ${PLACES}`)
    .action(() => {
      const { output } = context;
      const document = listAgents(context);
      const { agents } = document;
      output.json(document satisfies AgentsDocument);
      output.print(
        renderTable(
          agents,
          [
            { title: 'agent', value: (agent) => agent.name },
            { title: 'parser', value: (agent) => agent.outputParser },
            { title: 'from', value: placeText },
            { title: 'description', value: (agent) => agent.description },
          ],
          output.colors,
        ),
      );
    });
}
