import { createHash } from 'node:crypto';
import type { BatchPages } from '../../../domain/ports/reading/batch-pages.js';
import type { ChangePages } from '../../../domain/ports/reading/change-pages.js';
import type { RunPages } from '../../../domain/ports/reading/run-pages.js';
import type { StepPages } from '../../../domain/ports/reading/step-pages.js';
import type { LiveOutputs } from '../../../domain/ports/record/live-outputs.js';
import type { LiveMessage } from '../../../domain/views/changes.js';
import type { StepColumns } from '../../../domain/views/steps.js';
import { listHosts } from '../../../operations/home/hosts/list.js';
import { leases } from '../../../operations/home/leases.js';
import { listLimits } from '../../../operations/home/limits/list.js';
import type { HomePorts } from '../handlers/home.js';
import { timeOf } from './clock.js';

/** What the topics read; a watched run's output is copied on request. */
export type TopicPorts = HomePorts & {
  pages: Pick<ChangePages, 'changedSince'> &
    Pick<RunPages, 'runRows' | 'liveOutput'> &
    Pick<StepPages, 'stepColumns'> &
    Pick<BatchPages, 'batchRows'>;
  store: Pick<LiveOutputs, 'watchRun'>;
};

/** `now`, `ops`, `batch:<id>` or `run:<id>`. */
export type TopicName = string;

/** Milliseconds between two questions. */
export const intervalOf = (topic: TopicName): number =>
  topic.startsWith('run:') ? 300 : topic.startsWith('batch:') ? 1000 : 2000;

/** A commit may come so long after the time that its row carries; what was sent is not sent again. */
const LATE_SECONDS = 5;
/** Now and then for those that came much later. */
const VERY_LATE_SECONDS = 60;
const VERY_LATE_EVERY_MS = 30_000;
/** A batch's row counts all of its runs. */
const BATCHES_EVERY_MS = 3_000;
const RUNS_A_MESSAGE = 200;
/** Beyond it, as after an import, asking again for what is shown costs less than reading all of them. */
const MOST_RUNS = 1_000;
/** The running command's output is copied once a second. */
const OUTPUT_EVERY_MS = 900;
/** A page that is closed is forgotten after so long; one that is open says so again in time. */
const WATCHED_SECONDS = 45;
const WATCH_EVERY_MS = 15_000;

const hashOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('base64');

/** What was sent, by key: what has not changed is not sent again. */
class SentMessages {
  private readonly known = new Map<string, { hash: string; at: number }>();

  isNew(key: string, value: unknown): boolean {
    const hash = hashOf(value);
    const before = this.known.get(key);
    this.known.set(key, { hash, at: Date.now() });
    return before?.hash !== hash;
  }

  /** Nothing as old as that is found again. */
  forget(): void {
    const old = Date.now() - 2 * VERY_LATE_SECONDS * 1000;
    for (const [key, { at }] of this.known) if (at < old) this.known.delete(key);
  }
}

/** Reads what has changed of one topic, for all who watch it. */
export class Topic {
  private readonly sent = new SentMessages();
  private veryLateAt = 0;
  private batchesAt = 0;
  private outputAt = 0;
  private watchAt = 0;
  private readonly batchesDue = new Set<string>();

  constructor(
    private readonly ports: TopicPorts,
    readonly name: TopicName,
    /** The database's clock, up to which all was sent. */
    public cursor: string,
    /** Nothing is written where the page may only read: then no worker copies for it. */
    private readonly watches = true,
  ) {}

  /** What is other than when this was last asked. Throws while services do not answer, and then loses nothing. */
  async read(): Promise<LiveMessage[]> {
    const { pages } = this.ports;
    const { name: topic } = this;
    const [kind, id = ''] = topic.split(':');
    const veryLate = Date.now() - this.veryLateAt > VERY_LATE_EVERY_MS;
    const since = this.before(veryLate ? VERY_LATE_SECONDS : LATE_SECONDS);
    const watched = kind === 'run' ? { runId: id } : kind === 'batch' ? { batchId: id } : {};
    const changes = await pages.changedSince(watched, since);
    const messages: LiveMessage[] = [];
    // Most of them were sent already: late commits are looked for again and again.
    const other = changes.runs.filter(({ runId, version }) => this.sent.isNew(`row ${runId}`, version));
    const each = other.length > MOST_RUNS ? [] : other;
    const unlisted = changes.manyRuns !== null && this.sent.isNew('many runs', changes.manyRuns);
    if (each !== other || unlisted) messages.push({ event: 'gap', data: { topic } });
    for (let i = 0; i < each.length; i += RUNS_A_MESSAGE) {
      const rows = await pages.runRows(each.slice(i, i + RUNS_A_MESSAGE).map(({ runId }) => runId));
      // Its duration until now is other each time.
      const runs = rows.filter((row) =>
        this.sent.isNew(row.runId, { ...row, durationMs: row.endedAt === null ? null : row.durationMs }),
      );
      for (const { batchId } of runs) this.batchesDue.add(batchId);
      if (runs.length > 0) messages.push({ event: 'runs', data: { topic, runs } });
    }
    if (kind === 'run') {
      // Those of the last seconds are found each time, and were sent; now and then what belongs to them is read again.
      const due = changes.steps.filter(({ step, version }) => this.sent.isNew(`step row ${step}`, version) || veryLate);
      if (due.length > 0) messages.push(...(await this.steps(id, due)));
    }
    const evaluations = changes.evaluations.filter((one) =>
      this.sent.isNew(`evaluation ${one.number} ${one.split}`, one),
    );
    if (evaluations.length > 0) messages.push({ event: 'evaluations', data: { topic, runId: id, evaluations } });
    const events = changes.events.filter((event) => this.sent.isNew(`event ${event.eventId}`, event));
    if (events.length > 0) messages.push({ event: 'events', data: { topic, events } });
    for (const { batchId, state } of changes.batches)
      if (this.sent.isNew(`state ${batchId}`, state)) this.batchesDue.add(batchId);
    messages.push(
      ...(kind === 'run' ? await this.output(id) : await this.batches()),
      ...(kind === 'ops' || kind === 'now' ? await this.home() : []),
    );
    this.cursor = changes.now;
    if (veryLate) {
      this.veryLateAt = Date.now();
      this.sent.forget();
    }
    return messages;
  }

  private async steps(runId: string, due: readonly { step: number }[]): Promise<LiveMessage[]> {
    const { pages } = this.ports;
    const columns = await pages.stepColumns(
      runId,
      due.map(({ step }) => step),
    );
    const lists = Object.entries(columns) as [string, unknown[]][];
    const fresh = columns.step.map((step, i) =>
      this.sent.isNew(
        `step ${step}`,
        lists.map(([, list]) => list[i]),
      ),
    );
    if (!fresh.includes(true)) return [];
    const shown = lists.map(([name, list]) => [name, list.filter((_, i) => fresh[i])]);
    const total = columns.step.at(-1) ?? 0;
    return [
      {
        event: 'steps',
        data: { topic: this.name, runId, total, columns: Object.fromEntries(shown) as StepColumns },
      },
    ];
  }

  /** What its command prints meanwhile, which a worker copies for as long as we say that it is looked at. */
  private async output(runId: string): Promise<LiveMessage[]> {
    if (Date.now() - this.outputAt < OUTPUT_EVERY_MS) return [];
    this.outputAt = Date.now();
    const { pages, store } = this.ports;
    if (this.watches && Date.now() - this.watchAt > WATCH_EVERY_MS) {
      this.watchAt = Date.now();
      await store.watchRun(runId, WATCHED_SECONDS);
    }
    const output = await pages.liveOutput(runId);
    if (output === null || !this.sent.isNew('output', { ...output, at: null })) return [];
    return [{ event: 'output', data: { topic: this.name, runId, ...output } }];
  }

  private before(seconds: number): string {
    return new Date(timeOf(this.cursor) - seconds * 1000).toISOString();
  }

  private async batches(): Promise<LiveMessage[]> {
    if (this.batchesDue.size === 0 || Date.now() - this.batchesAt < BATCHES_EVERY_MS) return [];
    const { pages } = this.ports;
    const rows = await pages.batchRows([...this.batchesDue]);
    this.batchesDue.clear();
    this.batchesAt = Date.now();
    const batches = rows.filter((row) => this.sent.isNew(row.batchId, row));
    return batches.length === 0 ? [] : [{ event: 'batches', data: { topic: this.name, batches } }];
  }

  private async home(): Promise<LiveMessage[]> {
    const { name: topic } = this;
    const [hosts, held, accounts] = await Promise.all([
      listHosts(this.ports, { includeRemoved: false }),
      leases(this.ports, { includeReleased: false }),
      listLimits(this.ports),
    ]);
    return [
      ...(this.sent.isNew('hosts', hosts) ? [{ event: 'hosts' as const, data: { topic, hosts } }] : []),
      ...(this.sent.isNew('leases', held.leases)
        ? [{ event: 'leases' as const, data: { topic, leases: held.leases } }]
        : []),
      ...(this.sent.isNew('limits', accounts) ? [{ event: 'limits' as const, data: { topic, accounts } }] : []),
    ];
  }
}
