import type { Command } from 'commander';
import { EVENT_KINDS } from '../../domain/run/event-kinds.js';
import { type EventsRequest, eventsRequestSchema } from '../../domain/requests/reading.js';
import type { CliContext } from '../context.js';
import { commaListOf } from '../options.js';
import { formatTime, oneLine } from '../render/format.js';
import { renderTable } from '../render/table.js';
import { requestFields, requestOptions } from '../schema-flags.js';
import { events, followEvents } from '../../operations/results/events.js';
import type { EventRow, EventsDocument } from '../../domain/views/events.js';

export function register(program: Command, context: CliContext): void {
  const command = program
    .command('events')
    .summary('list faults, retries and recoveries')
    .description('List events: each fault, retry and recovery of a run or batch.')
    .argument('[id]', 'id of a run or batch; default: all events');
  const shape = eventsRequestSchema.shape;
  for (const option of requestOptions(shape, {
    without: ['of'],
    parsers: { kind: commaListOf('event kind', EVENT_KINDS) },
  }))
    command.addOption(option);
  command
    .option('-f, --follow', 'print events as they occur until the run or batch has ended; Ctrl-C stops following')
    .action(async (ref: string | undefined, options: Record<string, unknown>) => {
      const request: EventsRequest = { of: ref, ...requestFields(shape, options) };
      if (options['follow'] === true) return follow(context, request);
      const { events: found, more } = await events(context, request);
      context.output.json({ events: found, more } satisfies EventsDocument);
      const none = request.kind === undefined ? 'No events: nothing went wrong.' : 'No events of these kinds.';
      context.output.print(found.length === 0 ? none : table(context, found));
      const { colors } = context.output;
      if (more) context.output.print(colors.dim(`The newest ${found.length} events; --limit shows more.`));
    });
}

function table({ output }: CliContext, events: readonly EventRow[]): string {
  const { colors, width, interactive } = output;
  return renderTable<EventRow>(
    events,
    [
      { title: 'time', value: (event) => formatTime(event.at) },
      { title: 'of', value: (event) => event.runId ?? event.batchId ?? '–' },
      { title: 'event', value: (event) => event.kind },
      { title: 'detail', value: (event) => oneLine(event.detail, interactive ? Math.max(40, width - 70) : 10_000) },
    ],
    colors,
  );
}

/** A line per event; with --json one document at the end. Waits out outages. */
async function follow(context: CliContext, request: EventsRequest): Promise<void> {
  const { output } = context;
  const printed: EventRow[] = [];
  for await (const progress of followEvents(context, request, context.onInterrupt()))
    if (progress.kind === 'recovered') output.log('The services answer again.');
    else if (progress.kind === 'outage')
      output.log('The services do not answer; trying to restart them. Ctrl-C stops following.');
    else {
      const { event } = progress;
      printed.push(event);
      const { colors } = output;
      const of = event.runId ?? event.batchId ?? '–';
      output.print(
        `${colors.dim(formatTime(event.at))} ${of} ${colors.yellow(event.kind)} ${oneLine(event.detail, 500)}`,
      );
    }
  output.json({ events: printed } satisfies EventsDocument);
}
