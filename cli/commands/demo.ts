import type { Command } from 'commander';
import { pageServerRequestSchema } from '../../domain/requests/page.js';
import type { Backend } from '../../domain/run/run.js';
import { leaderboard } from '../../operations/results/leaderboard.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../examples.js';
import { backendOption } from '../options.js';
import { servePage } from '../serve-page.js';
import { detachedAdvice, followBatch } from '../follow-batch.js';
import { batchDocument, batchFaults } from '../render/batch.js';
import { terminalForm } from '../render/leaderboard-forms.js';
import { renderLeaderboard } from '../render/leaderboard.js';
import { prepareBeside } from '../../operations/batches/prepare-beside.js';
import { submitBatch } from '../../operations/batches/submit-batch.js';
import { wentWell } from '../wait-for-batch.js';
import type { DemoDocument } from '../../domain/views/demo.js';

const AGENTS = ['scripted:baseline', 'scripted:optimum', 'scripted:clumsy'];
const GAMES = ['battleOfSexes', 'prisonersDilemma', 'blotto'];
const ATTEMPTS = 2;

export function register(program: Command, context: CliContext): void {
  const command = program
    .command('demo')
    .summary('try everything once, without any key')
    .description(
      'Run a small batch end to end without any key: three scripted agents play three games twice each. Then print the leaderboard. The first use takes a few minutes.',
    )
    .addOption(backendOption())
    .option('--page', 'serve the page of `bench serve` during the demo, and until Ctrl-C')
    .action(async (options: { backend?: Backend; page?: true }) => {
      const { output } = context;
      const page =
        options.page === true ? await servePage(context, pageServerRequestSchema.parse({ port: 0 }), true) : null;
      if (page !== null) output.log(`The page: ${page.url}`);
      await play(options.backend);
      if (page === null || page.reused) return;
      output.log('The page is still served; Ctrl-C stops the server.');
      await page.untilInterrupted();
    });
  const play = async (backend: Backend | undefined): Promise<void> => {
    const { output } = context;
    await prepareBeside(context, backend);
    const batch = await submitBatch(context, {
      models: AGENTS,
      tasks: GAMES,
      attempts: ATTEMPTS,
      concurrency: 2,
      backend,
    });
    output.log(
      `Batch ${batch.batchId}: ${AGENTS.length} scripted agents × ${GAMES.length} games × ${ATTEMPTS} attempts on the ${batch.backend} backend`,
    );
    const { report, detached } = await followBatch(context, batch.batchId, {
      where: 'stderr',
      untilPaused: true,
    });
    if (detached || report === null) {
      if (report !== null) output.json({ batch: batchDocument(report), leaderboard: null } satisfies DemoDocument);
      output.log(detachedAdvice(batch.batchId));
      context.setExitCode(130);
      return;
    }
    const board = await leaderboard(context, {
      batch: batch.batchId,
      include: ['scripted', 'local'],
    });
    output.json({ batch: batchDocument(report), leaderboard: board } satisfies DemoDocument);
    output.print(`\n${renderLeaderboard(board, terminalForm(output))}\n`);
    if (!wentWell(report)) {
      for (const fault of batchFaults(report)) output.log(output.logColors.red(fault));
      context.setExitCode(1);
      return;
    }
    const best = report.runList.find((run) => run.model === 'scripted:optimum') ?? report.runList[0];
    output.print(
      [
        `Everything is stored under ${context.settings.home}; the services stay up until \`bench down\`.`,
        `Next: bench trajectory ${best?.runId ?? '<run>'}    show what an agent did, step by step`,
        `      bench submit --models scripted:slow --tasks battleOfSexes --wait    submit a batch of your own`,
        `      docs/guides/getting-started.md    the next steps`,
      ].join('\n'),
    );
  };
  addExamples(command, [
    ['bench demo', 'play scripted agents on the games, print the leaderboard'],
    ['bench demo --backend local', 'the same without containers'],
    ['bench demo --page', 'watch the agents play in a browser'],
  ]);
}
