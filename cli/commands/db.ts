import type { Command } from 'commander';
import type { CliContext } from '../context.js';

export function register(program: Command, context: CliContext): void {
  const db = program.command('db').summary('the database').description('The database that holds everything.');
  db.command('url')
    .summary('its address, for psql and other programs')
    .description('Print the address of the database, for psql and other programs: psql "$(bench db url)"')
    .action(async () => {
      await context.database();
      const { databaseUrl } = await context.services();
      context.output.json({ databaseUrl });
      context.output.print(databaseUrl);
    });
}
