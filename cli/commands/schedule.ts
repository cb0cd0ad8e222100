import type { Command } from 'commander';
import { scheduleRequestSchema, type ScheduleRequest } from '../../domain/requests/schedule.js';
import type { ChangedSchedule, Schedule, SchedulesDocument, ShownSchedule } from '../../domain/views/schedules.js';
import {
  acceptSchedule,
  backfillSchedule,
  pauseSchedule,
  removeSchedule,
  triggerSchedule,
} from '../../operations/schedules/change.js';
import { createScheduleOf } from '../../operations/schedules/create.js';
import { listSchedules } from '../../operations/schedules/list.js';
import { showSchedule } from '../../operations/schedules/show.js';
import type { CliContext } from '../context.js';
import { addExamples } from '../examples.js';
import { renderSchedule, renderSchedules } from '../render/schedules.js';
import { scheduledRequest } from '../scheduled-request.js';
import { requestFields, requestOptions } from '../schema-flags.js';

export function register(program: Command, context: CliContext): void {
  const schedule = program
    .command('schedule')
    .summary('submit a batch every night, and find regressions')
    .description(
      'Submit a batch at the times of a cron expression. Each is compared with the last accepted one, as by `bench compare`; a worse one is a regression, which the webhook of BENCH_NOTIFY_URL is notified of.',
    );
  registerCreate(schedule, context);
  registerLooks(schedule, context);
  registerChange(schedule, context, {
    name: 'pause',
    summary: 'submit nothing until it is resumed',
    description: 'Pause a schedule: it submits nothing, except by trigger and backfill.',
    work: (name) => pauseSchedule(context, name, true),
  });
  registerChange(schedule, context, {
    name: 'resume',
    summary: 'resume a paused schedule',
    description: 'Resume a paused schedule. What was due meanwhile is not submitted: see backfill.',
    work: (name) => pauseSchedule(context, name, false),
  });
  registerChange(schedule, context, {
    name: 'trigger',
    summary: 'submit its batch now',
    description: 'Submit its batch now, or once the one that is played has ended.',
    work: (name) => triggerSchedule(context, name),
  });
  registerBackfill(schedule, context);
  registerChange(schedule, context, {
    name: 'accept',
    summary: 'compare later batches with the last one',
    description: 'Accept its last batch though it is worse: later ones are compared with it.',
    work: (name) => acceptSchedule(context, name),
  });
  registerChange(schedule, context, {
    name: 'delete',
    summary: 'delete a schedule and its outcomes',
    description: 'Delete a schedule and the outcomes of its batches. The batches and their runs stay.',
    work: (name) => removeSchedule(context, name),
  });
}

function registerCreate(schedule: Command, context: CliContext): void {
  const create = schedule
    .command('create')
    .summary('create a schedule')
    .description('Create a schedule of a batch, which is what follows --, as for `bench submit`.')
    .argument('<name>', 'name of the schedule; its batches are named after it')
    .argument('[submit...]', 'after --: submit, with its options');
  for (const option of requestOptions(scheduleRequestSchema.shape)) {
    if (option.attributeName() === 'cron') option.makeOptionMandatory();
    create.addOption(option);
  }
  create.action(async (name: string, words: string[], flags: Record<string, unknown>) => {
    const { output } = context;
    const request = requestFields(scheduleRequestSchema.shape, flags) as ScheduleRequest;
    const batch = scheduledRequest(context, words);
    const created = await createScheduleOf(context, name, { ...request, batch });
    output.json(created satisfies Schedule);
    output.print(renderSchedule(created, output.colors));
  });
  addExamples(create, [
    ['bench schedule create nightly --cron "0 2 * * *" -- submit --models gpt-4o --tasks game-theory', 'every night'],
    ['bench schedule create weekly --cron "CRON_TZ=Europe/Paris 0 6 * * 1" -- submit --file suite.yaml', 'on Mondays'],
  ]);
}

function registerLooks(schedule: Command, context: CliContext): void {
  const { output } = context;
  schedule
    .command('list', { isDefault: true })
    .summary('list schedules with their last outcomes (the default)')
    .description('List schedules: when they are due next, and the outcomes of their last batches.')
    .action(async () => {
      const schedules = await listSchedules(context);
      output.json({ schedules } satisfies SchedulesDocument);
      if (schedules.length === 0) output.print('No schedules yet. `bench schedule create` makes one.');
      else output.print(renderSchedules(schedules, output.colors));
    });
  schedule
    .command('show')
    .summary('show a schedule and the outcomes of its batches')
    .description('Show a schedule and what each of its batches was against the last accepted one.')
    .argument('<name>', 'name of the schedule')
    .action(async (name: string) => {
      const shown = await showSchedule(context, name);
      output.json(shown satisfies ShownSchedule);
      output.print(renderSchedule(shown, output.colors));
    });
}

interface Change {
  name: string;
  summary: string;
  description: string;
  work: (name: string) => Promise<ChangedSchedule>;
}

function registerChange(schedule: Command, context: CliContext, { name, summary, description, work }: Change): void {
  schedule
    .command(name)
    .summary(summary)
    .description(description)
    .argument('<name>', 'name of the schedule')
    .action(async (of: string) => print(context, await work(of)));
}

function registerBackfill(schedule: Command, context: CliContext): void {
  const backfill = schedule
    .command('backfill')
    .summary('submit what was due in the past')
    .description('Submit the batches of past times, one after the other. A time that has a batch already is left out.')
    .argument('<name>', 'name of the schedule')
    .requiredOption('--from <time>', 'first time, as 2026-01-31T00:00:00Z')
    .requiredOption('--until <time>', 'last time')
    .action(async (name: string, { from, until }: { from: string; until: string }) =>
      print(context, await backfillSchedule(context, name, { from, until })),
    );
  addExamples(backfill, [
    [
      'bench schedule backfill nightly --from 2026-01-01T00:00:00Z --until 2026-01-31T00:00:00Z',
      'the nights of a month, on the model as it is now',
    ],
  ]);
}

function print({ output }: CliContext, changed: ChangedSchedule): void {
  output.json(changed satisfies ChangedSchedule);
  output.print(`${changed.name}: ${changed.change}. See \`bench schedule list\`.`);
}
