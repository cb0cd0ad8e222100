import { problemLine } from '../../domain/errors.js';
import type { Command } from 'commander';
import { validateConfig } from '../../operations/catalog/validate-config.js';
import type { CliContext } from '../context.js';
import { plural } from '../../domain/text/format.js';
import type { ValidationDocument } from '../../domain/views/catalog.js';

export function register(program: Command, context: CliContext): void {
  program
    .command('validate-config')
    .summary('check configuration files')
    .description(
      'Check configuration files: keys, types, templates, referenced files, names in referees. Prints file, line and key of each problem.',
    )
    .argument('[paths...]', 'task folders, YAML files, or whole configs folders; default: all files that bench uses')
    .action(async (paths: string[]) => {
      const { output } = context;
      const files = await validateConfig(context, paths);
      const problems = files.flatMap((file) => file.problems);
      output.json({ valid: problems.length === 0, files } satisfies ValidationDocument);
      for (const file of files) {
        if (file.problems.length === 0) output.print(`${output.colors.green('ok')}  ${file.kind} ${file.file}`);
        for (const problem of file.problems) {
          output.print(`${output.colors.red('bad')} ${problemLine(problem)}`);
        }
      }
      if (problems.length === 0) return;
      output.log(
        `${plural(problems.length, 'problem')} in ${plural(files.filter((f) => f.problems.length > 0).length, 'file')}. A broken file is disabled until it is corrected; a broken referee scores nothing.`,
      );
      context.setExitCode(2);
    });
}
