import type { Command } from 'commander';
import { trajectoryRequestSchema } from '../../domain/requests/reading.js';
import { trajectory } from '../../operations/results/trajectory.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../examples.js';
import { requestOptions } from '../schema-flags.js';
import { renderTrajectory } from '../render/trajectory.js';
import type { TrajectoryDocument } from '../../domain/views/trajectory.js';

export function register(program: Command, context: CliContext): void {
  const command = program
    .command('trajectory')
    .summary("print a run's steps in full")
    .description("Print a run's steps in full: thought, command, observation, evaluation.")
    .argument('<run>', 'id, or an unambiguous part of it')
    .action(async (ref: string, options: { from: number }) => {
      const { run, steps } = await trajectory(context, ref, { from: options.from });
      const { runId, batchId, model, task, workspace, endReason, forkedFrom, forkedAtStep } = run;
      context.output.json({
        runId,
        batchId,
        model,
        task,
        workspace,
        endReason,
        forkedFrom,
        forkedAtStep,
        steps,
      } satisfies TrajectoryDocument);
      context.output.print(renderTrajectory(steps, context.output.colors));
    });
  for (const option of requestOptions(trajectoryRequestSchema.shape)) command.addOption(option);
  addExamples(command, [
    ['bench trajectory r-01m7xx', 'every step'],
    ['bench trajectory r-01m7xx --from 10', 'from step 10'],
  ]);
}
