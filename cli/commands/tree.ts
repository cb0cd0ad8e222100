import type { Command } from 'commander';
import { runTree } from '../../operations/results/tree.js';
import type { TreeDocument } from '../../domain/views/tree.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../examples.js';
import { renderTree } from '../render/tree.js';

export function register(program: Command, context: CliContext): void {
  const command = program
    .command('tree')
    .summary('show the tree of forks that a run played')
    .description(
      'Show the tree of forks that a run with a `search:` block plays: its nodes below their parents, their validation scores, and its use of its limits.',
    )
    .argument('<run>', 'id of the run, or of one of its nodes; or an unambiguous part of it')
    .action(async (ref: string) => {
      const tree: TreeDocument = await runTree(context, ref);
      context.output.json(tree);
      context.output.print(renderTree(tree, context.output.colors));
    });
  addExamples(command, [
    ['bench tree 4kq7', 'the tree of a run'],
    ['bench tree 4kq7 --json', 'the same, as JSON'],
  ]);
}
