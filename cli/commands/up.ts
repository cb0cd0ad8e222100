import type { Command } from 'commander';
import type { ServiceEndpoints } from '../../domain/home/services.js';
import { up } from '../../operations/home/up.js';
import type { CliContext } from '../context.js';
import { describeService } from '../render/services.js';
import type { UpDocument } from '../../domain/views/home.js';

const reach = ({ temporalVariables }: ServiceEndpoints): string =>
  Object.keys(temporalVariables).length > 0 ? ', for this user alone' : ', which other users of this machine can reach';

export function register(program: Command, context: CliContext): void {
  program
    .command('up')
    .summary('start the services and a worker')
    .description(
      'Start PostgreSQL, Temporal and a worker for this home, unless the environment names others, and wait until all ' +
        'answer. Commands that need them do this themselves. The services stay up until `bench down`.',
    )
    .action(async () => {
      const { settings, output } = context;
      const { endpoints, database, supervisorPid, services } = await up(context);
      output.json({ home: settings.home, ...endpoints, supervisorPid, services } satisfies UpDocument);
      const { embedded } = endpoints;
      output.print(`home      ${settings.home}`);
      output.print(
        `database  ${database}${embedded.postgres ? '' : '  (from DATABASE_URL)'}  · bench db url --owner shows the password`,
      );
      output.print(
        `temporal  ${endpoints.temporalAddress}, namespace ${endpoints.temporalNamespace}${embedded.temporal ? reach(endpoints) : '  (from TEMPORAL_ADDRESS)'}`,
      );
      output.print(embedded.worker ? 'worker    runs here' : 'worker    none here (BENCH_WORKER=external)');
      for (const service of services) output.print(`  ${describeService(service, output.colors)}`);
    });
}
