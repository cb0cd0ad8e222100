import type { Command } from 'commander';
import { compareRequestSchema } from '../../domain/requests/pairs.js';
import type { Pairs } from '../../domain/views/pairs.js';
import { compare } from '../../operations/results/compare.js';
import { checkWritable, writeWhole } from '../../operations/write-whole.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../examples.js';
import { renderComparison } from '../render/comparison.js';
import { junitOf } from '../render/junit.js';
import { markdownForm, terminalForm } from '../render/leaderboard-forms.js';
import { requestFields, requestOptions } from '../schema-flags.js';

interface CompareFlags {
  failIfWorse?: true;
  junit?: string;
  markdown?: string;
}

/** Of `--fail-if-worse`; 1 and 2 keep their meaning. */
const EXIT_CODES = { no: 0, yes: 3, undecided: 4 } as const;
const { a: _a, b: _b, ...rules } = compareRequestSchema.shape;

export function register(program: Command, context: CliContext): void {
  const command = program
    .command('compare')
    .summary('is B better than A?')
    .description(
      'Compare two models, agents or batches over pairs of runs at the same task and attempt: a verdict, then tasks, costs, times and ends side by side. Decide once, when all runs have ended: looking until it decides finds differences that are not there.',
    )
    .argument('<a>', 'model, agent, or batch (id or name)')
    .argument('<b>', 'the same, compared with A');
  for (const option of requestOptions(rules)) command.addOption(option);
  command
    .option('--fail-if-worse', 'exit code 3 if B is worse, 4 if that is undecided or runs have not ended, else 0')
    .option('--junit <file>', "also write the verdict as JUnit's XML")
    .option('--markdown <file>', 'also write all of it as Markdown')
    .action(async (a: string, b: string, flags: CompareFlags) => {
      const { output } = context;
      for (const field of ['junit', 'markdown'] as const) {
        const file = flags[field];
        if (file !== undefined) await checkWritable(file, field);
      }
      const pairs = await compare(context, { a, b, ...requestFields(rules, { ...flags }) });
      if (flags.junit !== undefined) await writeWhole(flags.junit, junitOf(pairs), 'junit');
      if (flags.markdown !== undefined)
        await writeWhole(flags.markdown, `${renderComparison(pairs, markdownForm)}\n`, 'markdown');
      output.json(pairs satisfies Pairs);
      output.print(renderComparison(pairs, terminalForm(output)));
      if (flags.failIfWorse === true) context.setExitCode(EXIT_CODES[pairs.verdict?.worse ?? 'undecided']);
    });
  addExamples(command, [
    ['bench compare gpt-4o claude', 'two models, over all tasks that both played'],
    ['bench compare monday tuesday --fail-if-worse --junit compare.xml', 'a gate for CI: two batches'],
    ['bench compare gpt-4o claude --view paper', 'in a saved view: its tasks, in its versions of them'],
    ['bench compare default modern --by agent --tasks battleOfSexes', 'two agents at one task'],
  ]);
}
