import { setTimeout as sleep } from 'node:timers/promises';
import { InvalidArgumentError, type Command } from 'commander';
import { EVENT_KINDS } from '../../domain/event-kinds.js';
import { suggestion } from '../../catalog/index.js';
import type { CliContext } from '../context.js';
import { isOutage } from '../../operations/as-bench-error.js';
import { commaList, wholeNumber } from '../options.js';
import { formatTime, oneLine } from '../render/format.js';
import { renderTable } from '../render/table.js';
import { findRunOrBatch } from '../../operations/results/find-run-or-batch.js';
import type { EventRow } from '../../domain/views/events.js';

const POLL_MS = 1000;
/** Numbers are given before rows are committed: a follower looks back so far for those that came late. */
const LOOK_BACK = 200;

interface EventsOptions {
  limit: number;
  kind?: string[];
  follow?: true;
}

interface Filter {
  runId?: string;
  batchId?: string;
  kinds?: string[];
}

export function register(program: Command, context: CliContext): void {
  program
    .command('events')
    .summary('faults, retries, recoveries')
    .description('List what went wrong and how it was mended: each fault, retry and recovery of a run or a batch.')
    .argument('[id]', 'a run or a batch; default: everything')
    .option('--kind <kinds>', `only these, by commas, of ${EVENT_KINDS.join(', ')}`, eventKinds)
    .option('--limit <n>', 'at most so many, the newest', wholeNumber(1, 100_000), 200)
    .option('-f, --follow', 'go on with a line per event until the run or batch has ended; Ctrl-C leaves')
    .action(async (ref: string | undefined, options: EventsOptions) => {
      const { queries } = await context.database();
      const filter: Filter = options.kind === undefined ? {} : { kinds: options.kind };
      const of = ref === undefined ? null : await findRunOrBatch(context, ref);
      if (of?.kind === 'run') filter.runId = of.run.runId;
      if (of?.kind === 'batch') filter.batchId = of.batch.batchId;
      if (options.follow === true) return follow(context, filter, options.limit);
      // One more tells whether there are more.
      const found = await queries.events({ ...filter, limit: options.limit + 1 });
      const events = found.slice(-options.limit);
      const more = found.length > events.length;
      context.output.json({ events, more });
      const none = options.kind === undefined ? 'No events: nothing went wrong.' : 'No events of these kinds.';
      context.output.print(events.length === 0 ? none : table(context, events));
      const { colors } = context.output;
      if (more) context.output.print(colors.dim(`The newest ${events.length} events; --limit shows more.`));
    });
}

function eventKinds(text: string, before: string[] | undefined): string[] {
  const kinds = commaList(text, before);
  const known: readonly string[] = EVENT_KINDS;
  const unknown = kinds.find((kind) => !known.includes(kind));
  if (unknown !== undefined)
    throw new InvalidArgumentError(`There are no events "${unknown}". ${suggestion(unknown, known)}`);
  return kinds;
}

function table({ output }: CliContext, events: readonly EventRow[]): string {
  const { colors, width } = output;
  return renderTable<EventRow>(
    events,
    [
      { title: 'time', value: (event) => formatTime(event.at) },
      { title: 'of', value: (event) => event.runId ?? event.batchId ?? '–' },
      { title: 'event', value: (event) => event.kind },
      { title: 'detail', value: (event) => oneLine(event.detail, Math.max(40, width - 70)) },
    ],
    colors,
  );
}

/** A line per event as it comes; with --json one document at the end. Outages are waited out. */
async function follow(context: CliContext, filter: Filter, limit: number): Promise<void> {
  const { output } = context;
  const interrupt = context.onInterrupt();
  const told = new Map<number, EventRow>();
  let waiting = false;
  while (!interrupt.aborted) {
    try {
      const { queries } = await context.database();
      // Asked first: what belongs to something that has ended is then complete.
      const over = await hasEnded(context, filter);
      const newest = Math.max(0, ...told.keys());
      const fresh = await queries.events(
        told.size === 0
          ? { ...filter, limit }
          : { ...filter, afterEventId: Math.max(0, newest - LOOK_BACK), limit: 100_000 },
      );
      // What is older than the first that was told was beyond the limit.
      const oldest = told.size === 0 ? 0 : Math.min(...told.keys());
      for (const event of fresh) {
        if (told.has(event.eventId) || event.eventId < oldest) continue;
        told.set(event.eventId, event);
        const of = event.runId ?? event.batchId ?? '–';
        const { colors } = output;
        output.print(
          `${colors.dim(formatTime(event.at))} ${of} ${colors.yellow(event.kind)} ${oneLine(event.detail, 500)}`,
        );
      }
      if (waiting) output.log('The services answer again.');
      waiting = false;
      if (over) break;
    } catch (error) {
      if (!isOutage(error)) throw error;
      if (!waiting) output.log('The services do not answer; trying to bring them back. Ctrl-C leaves.');
      waiting = true;
      await context.reconnect();
    }
    await sleep(POLL_MS, undefined, { signal: interrupt }).catch(() => undefined);
  }
  output.json({ events: [...told.values()] });
}

async function hasEnded(context: CliContext, { runId, batchId }: Filter): Promise<boolean> {
  const { queries } = await context.database();
  if (runId !== undefined) return (await queries.findRun(runId)).status === 'ended';
  if (batchId !== undefined) return ['ended', 'cancelled'].includes((await queries.findBatch(batchId)).status);
  return false;
}
