import { type Command, InvalidArgumentError } from 'commander';
import { BenchError } from '../../domain/errors.js';
import { slurmJobSchema, type SlurmScale, slurmScaleSchema } from '../../domain/requests/slurm.js';
import type { ScaledJobs, SlurmScriptDocument } from '../../domain/views/hosts.js';
import { JobStarts } from '../../operations/home/hosts/job-starts.js';
import { jobScript, scaleSlurm } from '../../operations/home/hosts/scale.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../examples.js';
import { lookAgain } from '../look-again.js';
import { wholeNumber } from '../options.js';
import { flagOf, requestFields, requestOptions } from '../request-options.js';

const keyOf = (key: string): string => flagOf(key).slice(2);
const KEYS = Object.keys(slurmScaleSchema.shape);

/** `partition=low,max=8`: the options of `bench hosts slurm`, and `max`. */
function scaleOf(text: string): SlurmScale {
  const given = text.split(',').map((part) => {
    const [name = '', value = ''] = part.split('=', 2).map((one) => one.trim());
    const key = KEYS.find((one) => keyOf(one) === name);
    if (key === undefined)
      throw new InvalidArgumentError(`"${name}" is no key; keys are ${KEYS.map(keyOf).join(', ')}.`);
    return [key, /^\d+$/.test(value) ? Number(value) : value] as const;
  });
  const parsed = slurmScaleSchema.safeParse(Object.fromEntries(given));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const key = String(issue?.path[0] ?? '');
  if (!given.some(([name]) => name === key))
    throw new InvalidArgumentError(`${keyOf(key)} is missing, as in partition=low,max=8.`);
  const message = issue?.code === 'invalid_type' ? 'must be a whole number' : issue?.message;
  throw new InvalidArgumentError(`${keyOf(key)} ${message}.`);
}

const said = ({ waitingRuns, unsuitable, jobs, submitted, cancelled, ended }: ScaledJobs): string =>
  [
    `${waitingRuns} runs wait, ${jobs} jobs`,
    ...(unsuitable === 0
      ? []
      : [`${unsuitable} more wait whose time, memory, GPUs or backend such a job does not have`]),
    ...(submitted.length === 0 ? [] : [`submitted ${submitted.join(', ')}`]),
    ...(cancelled.length === 0 ? [] : [`cancelled ${cancelled.join(', ')}`]),
    ...(ended.length === 0 ? [] : [`asked to end: ${ended.join(', ')}`]),
  ].join('; ');

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
    const script = jobScript(context.settings, request);
    context.output.json({ script } satisfies SlurmScriptDocument);
    context.output.print(script);
  });
  addExamples(slurm, [
    ['bench hosts slurm --partition gpu --gpus 1 --hours 8 | sbatch', 'a host with a GPU, for 8 hours'],
  ]);

  const scale = hosts
    .command('scale')
    .summary('scale Slurm jobs with the number of waiting runs')
    .description(
      'Scale Slurm jobs until Ctrl-C: every --every seconds, submit jobs of `bench hosts slurm` for the runs that wait for a host, cancel ' +
        'pending jobs that are no longer needed, and end jobs without runs. Jobs with GPUs serve runs with GPUs, jobs without GPUs the others.',
    )
    .requiredOption(
      '--slurm <key=value,...>',
      `max, and the options of \`bench hosts slurm\`: ${KEYS.map(keyOf).join(', ')}`,
      scaleOf,
    )
    .option('--every <seconds>', 'time between two checks', wholeNumber(1, 3600), 30)
    .option('--once', 'check once, then exit')
    .action(async ({ slurm: request, every, once }: { slurm: SlurmScale; every: number; once?: true }) => {
      const { output } = context;
      if (output.jsonMode && once !== true)
        throw new BenchError('usage', '--json prints one document, and this command repeats its check', {
          remedy: 'Add --once.',
        });
      // Slurm's controller and PostgreSQL may be away for a while: jobs are wanted all night.
      const starts = new JobStarts();
      const look = async (): Promise<void> => {
        const { scaled, failed, pauseSeconds } = await scaleSlurm(context, request, starts);
        if (failed.length > 0)
          output.log(
            `${failed.join(', ')} ended before a host had registered; slurm-${failed[0]}.log in ${context.settings.home} shows the reason; ` +
              `the next job is submitted in ${pauseSeconds} s`,
          );
        output.json(scaled satisfies ScaledJobs);
        output.print(said(scaled));
      };
      await lookAgain(look, { every, once: once === true, log: (line) => output.log(line) });
    });
  addExamples(scale, [
    ['bench hosts scale --slurm partition=gpu,gpus=1,hours=8,max=8', 'up to eight jobs, while runs wait'],
    ['bench hosts scale --slurm partition=gpu,max=0 --once', 'cancel all jobs'],
  ]);
}
