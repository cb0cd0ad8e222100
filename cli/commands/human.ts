import type { Command } from 'commander';
import { BenchError } from '../../domain/errors.js';
import { batchOptionsSchema } from '../../domain/requests/batch.js';
import { runOptionsSchema } from '../../domain/requests/run-options.js';
import { requestFields, requestOptions } from '../request-options.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../examples.js';
import { LineReader } from '../human/line-reader.js';
import { Play } from '../human/play.js';
import { formatScore } from '../render/format.js';
import { phase } from '../render/runs.js';
import { cancel } from '../../operations/batches/cancel.js';
import { runDefinition } from '../../operations/results/run-definition.js';
import { startPersonRun } from '../../operations/turns/start-person-run.js';
import { returnToRun } from '../../operations/turns/return-to-run.js';
import type { DetachedRun, QuitRun } from '../../domain/views/batch-control.js';
import type { RunDetail } from '../../domain/views/runs.js';

interface HumanOptions {
  task?: string;
  thoughts?: true;
  raw?: true;
}

const { agent, maxSteps, wallTime, tokenLimit, gpusPerRun } = runOptionsSchema.shape;
const { backend, seed, name } = batchOptionsSchema.shape;
const FIELDS = { agent, backend, maxSteps, wallTime, tokenLimit, gpusPerRun, seed, name };
const TEXTS = {
  agent: 'agent configuration, which sets your prompt and the parser of your replies',
  maxSteps: 'steps of the run',
  wallTime: 'time limit of the run, such as 90s, 30m or 2h, without your thinking time; 0: none',
  tokenLimit: 'token limit of the run, input and output, four characters each; 0: none',
  gpusPerRun: 'GPUs for the run; default: what the task asks for',
  seed: 'seed of the run',
  name: 'name of the batch of this run',
};

async function play(context: CliContext, runId: string, options: HumanOptions, returning: boolean): Promise<void> {
  const { output } = context;
  const definition = await runDefinition(context, runId);
  const left = new AbortController();
  context.onInterrupt().addEventListener('abort', () => left.abort(), { once: true });
  const reader = new LineReader(process.stdin, output.jsonMode ? process.stderr : process.stdout, left);
  try {
    const sitting = await new Play(context, definition, reader, left.signal, {
      thoughts: options.thoughts === true,
      raw: options.raw === true,
      returning,
    }).untilLeft();
    if (sitting.kind === 'ended') {
      const { run } = sitting;
      output.json(run satisfies RunDetail);
      output.print(`Run ${runId} has ended: ${phase(run)}${run.detail === null ? '' : `, ${run.detail}`}`);
      output.print(
        `Final score ${formatScore(run.finalScore)}, best ${formatScore(run.bestScore)} (${run.primary}, ${run.direction})`,
      );
      output.print(output.colors.dim(`bench show ${runId}; bench trajectory ${runId}`));
      return;
    }
    if (sitting.kind === 'quit') {
      await cancel(context, runId);
      output.json({ runId, quit: true } satisfies QuitRun);
      output.print(`Run ${runId} is being cancelled. Its records stay; it is not scored.`);
      return;
    }
    output.json({ runId, detached: true } satisfies DetachedRun);
    output.log(`The run waits.\n  bench human ${runId}    continue it\n  bench cancel ${runId}   stop it`);
    context.setExitCode(130);
  } finally {
    reader.close();
  }
}

export function register(program: Command, context: CliContext): void {
  const command = program
    .command('human')
    .summary('play a run yourself, in this terminal')
    .description(
      'Play a run yourself, with the same prompt, parser, limits and records as a model. --task starts a new run; a run id continues that one. Leaving (Ctrl-D, Ctrl-C) loses nothing.',
    )
    .argument('[run]', 'continue this run: id, or an unambiguous part of it')
    .option('--task <id>', 'start a new run on this task; see `bench tasks`');
  for (const option of requestOptions(FIELDS, { texts: TEXTS })) command.addOption(option);
  command
    .option('--thoughts', 'ask for a thought before each command; end it with a line END_THOUGHT')
    .option('--raw', 'send replies exactly as you type them; end one with a line :send')
    .action(async (ref: string | undefined, options: HumanOptions) => {
      const { task } = options;
      if ((ref === undefined) === (task === undefined))
        throw new BenchError(
          'usage',
          ref === undefined ? 'neither a task nor a run was given' : 'both a run and a task were given',
          {
            remedy: 'Give --task <id> to start a run, or a run id to continue one.',
          },
        );
      if (options.raw === true && options.thoughts === true)
        throw new BenchError('usage', '--raw and --thoughts cannot be combined', {
          remedy: 'A raw reply contains its own thought.',
        });
      const runId =
        task === undefined
          ? await returnToRun(context, ref ?? '')
          : await startPersonRun(context, task, requestFields(FIELDS, { ...options }));
      context.output.log(
        `Run ${runId}${task === undefined ? '' : ` on ${task}`}; return to it with: bench human ${runId}`,
      );
      await play(context, runId, options, task === undefined);
    });
  addExamples(command, [
    ['bench human --task battleOfSexes', 'start a run'],
    ['bench human kdvxf2', 'return to it, by the end of its id'],
  ]);
}
