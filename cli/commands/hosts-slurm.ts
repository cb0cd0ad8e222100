import type { Command } from 'commander';
import { slurmJobSchema } from '../../domain/requests/slurm.js';
import type { SlurmScriptDocument } from '../../domain/views/hosts.js';
import { slurmJob } from '../../operations/home/hosts/slurm-job.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../examples.js';
import { requestFields, requestOptions } from '../schema-flags.js';

export function register(hosts: Command, context: CliContext): void {
  const slurm = hosts
    .command('slurm')
    .summary("print a Slurm job whose worker is a host for the job's time")
    .description(
      'Print a script for `sbatch`: a worker for the CPUs, GPUs and hours of one job. It takes no run that may outlast the job, and hands its ' +
        'runs to other hosts when the job ends, is preempted or cancelled. This home must have joined (`bench hosts join`), on a file system that ' +
        'all nodes see; jobs keep their runs on the disks of their nodes.',
    );
  for (const option of requestOptions(slurmJobSchema.shape)) slurm.addOption(option);
  slurm.action(() => {
    const request = slurmJobSchema.parse(requestFields(slurmJobSchema.shape, slurm.opts()));
    const script = slurmJob(context.settings, request);
    context.output.json({ script } satisfies SlurmScriptDocument);
    context.output.print(script);
  });
  addExamples(slurm, [
    ['bench hosts slurm --partition gpu --gpus 1 --hours 8 | sbatch', 'a host with a GPU, for 8 hours'],
    ['bench hosts slurm --partition gpu --gpus 1 --hours 8 | sbatch --array 1-8', 'eight of them'],
  ]);
}
