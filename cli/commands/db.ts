import type { Command } from 'commander';
import { createRoles } from '../../operations/home/database/create-roles.js';
import { migrateDatabase } from '../../operations/home/database/migrate.js';
import { databaseUrl } from '../../operations/home/database/url.js';
import type { CliContext } from '../context.js';
import { plural } from '../../domain/text/format.js';
import type { DatabaseRoles, DatabaseUrl, MigrationDocument } from '../../domain/views/database.js';

export function register(program: Command, context: CliContext): void {
  const db = program
    .command('db')
    .summary('address, schema and roles of the database')
    .description('Print the address of the database, and manage its schema and roles.');
  db.command('url')
    .summary('print its address, for psql and other programs')
    .description(
      'Print the address of the database, for psql and other programs: psql "$(bench db url)". Its user can only read, and is created at ' +
        'first use, as the user of BENCH_OWNER_DATABASE_URL, else of DATABASE_URL.',
    )
    .option('--owner', 'print the address that bench uses, whose user may change everything')
    .action(async ({ owner = false }: { owner?: boolean }) => {
      const url = await databaseUrl(context, { owner });
      context.output.json({ databaseUrl: url } satisfies DatabaseUrl);
      context.output.print(url);
    });
  db.command('migrate')
    .summary('migrate the schema')
    .description(
      "Migrate the database to this program's schema, as the user of BENCH_OWNER_DATABASE_URL, else of DATABASE_URL. " +
        'Other commands do this themselves if their user may; otherwise run this first.',
    )
    .action(async () => {
      const migration = await migrateDatabase(context);
      const { applied, created } = migration;
      context.output.json(migration satisfies MigrationDocument);
      if (!created) context.output.print('The schema is up to date.');
      else if (applied === 0) context.output.print('Recreated views and functions.');
      else context.output.print(`Applied ${plural(applied, 'migration')}.`);
    });
  db.command('roles')
    .summary('create roles for workers and readers')
    .description(
      'Create roles, as the user of BENCH_OWNER_DATABASE_URL, else of DATABASE_URL: bench_app reads and writes rows, for the ' +
        "command line and servers; bench_worker may also read the key of the evaluators' seeds, for workers; bench_reader " +
        'only reads. None can log in or change a table.',
    )
    .action(async () => {
      const roles = await createRoles(context);
      context.output.json(roles satisfies DatabaseRoles);
      context.output.print(
        [
          `The roles ${roles.worker}, ${roles.app} and ${roles.reader} exist. Add users to them in psql:`,
          `  create role worker login password '…' in role ${roles.worker};`,
          `  create role researcher login password '…' in role ${roles.app};`,
          `  create role analyst login password '…' in role ${roles.reader};`,
        ].join('\n'),
      );
    });
}
