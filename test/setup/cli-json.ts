import type { CliContext } from '../../cli/context.js';
import { buildProgram } from '../../cli/program.js';
import type { Bench } from '../../operations/bench.js';
import { captured } from '../unit/cli/fixtures.js';

/** Output of a command with `--json`, run here over a bench of the tests. */
export async function cliJson<Document>(bench: Bench, ...args: string[]): Promise<Document> {
  const { output, texts } = captured({ json: true });
  const context: CliContext = {
    ...bench,
    output,
    setExitCode: (code) => {
      throw new Error(`bench ${args.join(' ')} ended with ${code}: ${texts.stderr}`);
    },
    onInterrupt: () => new AbortController().signal,
  };
  const program = await buildProgram(context, args[0]);
  await program.parseAsync([...args, '--json'], { from: 'user' });
  return JSON.parse(texts.stdout) as Document;
}
