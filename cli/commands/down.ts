import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { BenchError } from '../../domain/errors.js';
import { down } from '../../operations/home/down.js';
import type { CliContext } from '../context.js';
import { plural } from '../../domain/text/format.js';
import type { DownDocument } from '../../domain/views/home.js';

export function register(program: Command, context: CliContext): void {
  program
    .command('down')
    .summary('stop the services and the worker')
    .description(
      'Stop the worker, Temporal and PostgreSQL of this home. Asks first if runs are unfinished: they keep their containers ' +
        'and continue after the next `bench up`. Commands that only read, such as status and watch, do not start the services ' +
        'again; commands that start or change runs do.',
    )
    .option('-f, --force', 'stop without asking, even if runs are unfinished')
    .action(async (options: { force?: boolean }) => {
      const { settings, output } = context;
      const { ran, stopped, unfinishedRuns } = await down(context, async (unfinished) => {
        if (options.force !== true) await confirm(context, unfinished);
      });
      output.json({ home: settings.home, stopped, unfinishedRuns } satisfies DownDocument);
      if (!ran) {
        output.print(`Nothing is running in ${settings.home}.`);
        return;
      }
      output.print(`Stopped: ${stopped.length === 0 ? 'the supervisor' : stopped.join(', ')}.`);
      if (unfinishedRuns !== 0 && unfinishedRuns !== null)
        output.print(`${plural(unfinishedRuns, 'run')} unfinished: containers stay, and \`bench up\` continues them.`);
    });
}

async function confirm({ settings, output }: CliContext, unfinished: number | null): Promise<void> {
  const what =
    unfinished === null
      ? 'the database does not answer, so runs may be unfinished'
      : `${plural(unfinished, 'run')} ${unfinished === 1 ? 'is' : 'are'} unfinished`;
  if (output.jsonMode || !process.stdin.isTTY || !process.stderr.isTTY) {
    throw new BenchError('failed', `${what} in ${settings.home}: nothing was stopped`, {
      remedy: '`bench down --force` stops anyway; the runs continue after the next `bench up`.',
    });
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(
      `${what}; they continue after the next \`bench up\`. Stop the services? [y/N] `,
    );
    if (/^y(es)?$/i.test(answer.trim())) return;
  } finally {
    terminal.close();
  }
  throw new BenchError('failed', 'nothing was stopped');
}
