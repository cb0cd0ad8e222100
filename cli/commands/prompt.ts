import { type Command, InvalidArgumentError } from 'commander';
import type { PromptDocument } from '../../domain/views/prompt.js';
import { prompt } from '../../operations/results/prompt.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../examples.js';
import { renderPrompt } from '../render/prompt.js';

function stepNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Write a step as a number from 1.');
  return Number(text);
}

export function register(program: Command, context: CliContext): void {
  const command = program
    .command('prompt')
    .summary('print what the model was asked in a step')
    .description(
      'Print what the model was asked in a step, requeries included: rendered again from the record, and compared with the hash of ' +
        'what was sent. Exit code 1 if they differ. Of runs imported from MLGym: as its history has it.',
    )
    .argument('<run>', 'id, or an unambiguous part of it')
    .argument('<step>', 'from 1; one more than the run has taken: what comes next', stepNumber)
    .action(async (ref: string, step: number) => {
      const document = await prompt(context, ref, step);
      context.output.json(document satisfies PromptDocument);
      context.output.print(renderPrompt(document, context.output.colors));
      if (document.turns.some(({ proof }) => proof === 'different')) context.setExitCode(1);
    });
  addExamples(command, [
    ['bench prompt r-01m7xx 3', 'all that was asked in step 3'],
    [`bench prompt r-01m7xx 3 --json | jq '.turns[].proof'`, 'whether it is what was sent'],
  ]);
}
