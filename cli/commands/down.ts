import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { BenchError } from '../../domain/errors.js';
import { embeddedDatabaseUrl, markDown, servicesStatus, stopServices } from '../../services/index.js';
import type { CliContext } from '../context.js';
import { plural } from '../render/format.js';

export function register(program: Command, context: CliContext): void {
  program
    .command('down')
    .summary('stop the services and the worker')
    .description(
      'Stop the worker, Temporal and PostgreSQL of this home. Unfinished runs keep their containers and go on after the ' +
        'next `bench up`, which is why this asks first if there are any. They stay down: commands that only look, such as status ' +
        'and watch, say so; those that start or change runs start the services again.',
    )
    .option('-f, --force', 'do not ask, even if runs are unfinished')
    .action(async (options: { force?: boolean }) => {
      const { settings, output } = context;
      const status = servicesStatus(settings.home);
      const alive = status.running || status.services.some((service) => service.pid !== null);
      if (!alive) {
        markDown(settings.home);
        output.json({ home: settings.home, stopped: [], unfinishedRuns: null });
        output.print(`Nothing runs in ${settings.home}.`);
        return;
      }
      const unfinished = await unfinishedRuns(settings.databaseUrl ?? embeddedDatabaseUrl(settings.home));
      if (unfinished !== 0 && options.force !== true) await confirm(context, unfinished);
      const { stopped } = await stopServices({
        home: settings.home,
        stayDown: true,
        onProgress: (line) => output.log(line),
      });
      output.json({ home: settings.home, stopped, unfinishedRuns: unfinished });
      output.print(`Stopped: ${stopped.length === 0 ? 'the supervisor' : stopped.join(', ')}.`);
      if (unfinished !== 0 && unfinished !== null) {
        output.print(`${plural(unfinished, 'run')} unfinished: containers stay, and \`bench up\` goes on with them.`);
      }
    });
}

/** Null: the database does not answer, so nobody knows. */
async function unfinishedRuns(databaseUrl: string | null): Promise<number | null> {
  if (databaseUrl === null) return 0;
  const { openDatabase } = await import('../../db/index.js');
  const database = openDatabase(databaseUrl, { max: 1 });
  try {
    return await database.queries.unfinishedRuns();
  } catch (error) {
    return hasNoTables(error) ? 0 : null;
  } finally {
    await database.close().catch(() => undefined);
  }
}

/** The first start got no further than the empty database. */
function hasNoTables(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < 6; at = at.cause, depth++) {
    if ((at as NodeJS.ErrnoException).code === '42P01') return true;
  }
  return false;
}

async function confirm({ settings, output }: CliContext, unfinished: number | null): Promise<void> {
  const what =
    unfinished === null
      ? 'the database does not answer, so runs may be unfinished'
      : `${plural(unfinished, 'run')} ${unfinished === 1 ? 'is' : 'are'} unfinished`;
  if (output.jsonMode || !process.stdin.isTTY || !process.stderr.isTTY) {
    throw new BenchError('failed', `${what} in ${settings.home}: nothing was stopped`, {
      remedy: '`bench down --force` stops anyway; the runs go on at the next `bench up`.',
    });
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${what}; they go on at the next \`bench up\`. Stop the services? [y/N] `);
    if (/^y(es)?$/i.test(answer.trim())) return;
  } finally {
    terminal.close();
  }
  throw new BenchError('failed', 'nothing was stopped');
}
