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
    .summary('print the prompt of a step')
    .description(
      'Print the prompt that the model received in a step, requeries included: rendered again from the record, and compared with the ' +
        'hash of the sent prompt. Exit code 1 if they differ. For runs imported from MLGym: the prompt in their history.',
    )
    .argument('<run>', 'id, or an unambiguous part of it')
    .argument('<step>', 'from 1; the number after the last step: the next prompt', stepNumber)
    .action(async (ref: string, step: number) => {
      const document = await prompt(context, ref, step);
      context.output.json(document satisfies PromptDocument);
      context.output.print(renderPrompt(document, context.output.colors));
      if (document.turns.some(({ proof }) => proof === 'different')) context.setExitCode(1);
    });
  addExamples(command, [
    ['bench prompt r-01m7xx 3', 'the prompt of step 3'],
    [`bench prompt r-01m7xx 3 --json | jq '.turns[].proof'`, 'whether it equals the sent prompt'],
  ]);
}
