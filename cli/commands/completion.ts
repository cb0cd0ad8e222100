import { Argument, type Command } from 'commander';
import type { CompletionDocument } from '../../domain/views/home.js';
import { completionScript, type Shell, SHELLS } from '../completion/scripts.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../examples.js';

export function register(program: Command, context: CliContext): void {
  const command = program
    .command('completion')
    .summary('complete arguments in bash, zsh or fish')
    .description(
      'Print a script that completes commands, options, choices and names (models, tasks, suites, agents, batches, runs) in a shell. ' +
        'Load it in the start-up file of the shell.',
    )
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .action((shell: Shell) => {
      const script = completionScript[shell];
      context.output.json({ shell, script } satisfies CompletionDocument);
      context.output.data(script);
    });
  addExamples(command, [
    ['source <(bench completion bash)', 'in ~/.bashrc'],
    ['source <(bench completion zsh)', 'in ~/.zshrc, after compinit'],
    ['bench completion fish | source', 'in ~/.config/fish/config.fish'],
  ]);
}
