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

/** A watched run's output is copied on request. */
export type TopicPorts = HomePorts & {
  pages: Pick<ChangePages, 'changedSince'> &
    Pick<RunPages, 'runRows' | 'liveOutput'> &
    Pick<StepPages, 'stepColumns'> &
    Pick<BatchPages, 'batchRows'>;
  store: Pick<LiveOutputs, 'watchRun'>;
};

export type TopicName = string;

export const intervalOf = (topic: TopicName): number =>
  topic.startsWith('run:') ? 300 : topic.startsWith('batch:') ? 1000 : 2000;

/** Commits may come that long after their row's time; known versions are not sent again. */
const LATE_SECONDS = 5;
/** An occasional wider look, for later commits. */
const VERY_LATE_SECONDS = 60;
const VERY_LATE_EVERY_MS = 30_000;
/** Rarely: a batch's row counts all of its runs. */
const BATCHES_EVERY_MS = 3_000;
const RUNS_A_MESSAGE = 200;
/** Beyond it, as after an import, a reload costs less than reading each. */
const MOST_RUNS = 1_000;
/** Workers copy the output once a second. */
const OUTPUT_EVERY_MS = 900;
/** Then a closed page's run is unwatched; an open page renews in time. */
const WATCHED_SECONDS = 45;
const WATCH_EVERY_MS = 15_000;

const hashOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('base64');

/** By key, so that unchanged messages are not sent again. */
class SentMessages {
  private readonly known = new Map<string, { hash: string; at: number }>();

  isNew(key: string, value: unknown): boolean {
    const hash = hashOf(value);
    const before = this.known.get(key);
    this.known.set(key, { hash, at: Date.now() });
    return before?.hash !== hash;
  }

  /** Older changes are not found again. */
  forget(): void {
    const old = Date.now() - 2 * VERY_LATE_SECONDS * 1000;
    for (const [key, { at }] of this.known) if (at < old) this.known.delete(key);
  }
}

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
    /** In the database's time: all before was sent. */
    public cursor: string,
    /** False: the page is read-only, and does not make workers copy output. */
    private readonly watches = true,
  ) {}

  /** Changes since the last call. Throws during outages, without losing any. */
  async read(): Promise<LiveMessage[]> {
    const { pages } = this.ports;
    const { name: topic } = this;
    const [kind, id = ''] = topic.split(':');
    const veryLate = Date.now() - this.veryLateAt > VERY_LATE_EVERY_MS;
    const since = this.before(veryLate ? VERY_LATE_SECONDS : LATE_SECONDS);
    const watched = kind === 'run' ? { runId: id } : kind === 'batch' ? { batchId: id } : {};
    const changes = await pages.changedSince(watched, since);
    const messages: LiveMessage[] = [];
    // Most were sent: each look overlaps the last, for late commits.
    const other = changes.runs.filter(({ runId, version }) => this.sent.isNew(`row ${runId}`, version));
    const each = other.length > MOST_RUNS ? [] : other;
    const unlisted = changes.manyRuns !== null && this.sent.isNew('many runs', changes.manyRuns);
    if (each !== other || unlisted) messages.push({ event: 'gap', data: { topic } });
    for (let i = 0; i < each.length; i += RUNS_A_MESSAGE) {
      const rows = await pages.runRows(each.slice(i, i + RUNS_A_MESSAGE).map(({ runId }) => runId));
      // Ignore the duration so far, which always differs.
      const runs = rows.filter((row) =>
        this.sent.isNew(row.runId, { ...row, durationMs: row.endedAt === null ? null : row.durationMs }),
      );
      for (const { batchId } of runs) this.batchesDue.add(batchId);
      if (runs.length > 0) messages.push({ event: 'runs', data: { topic, runs } });
    }
    if (kind === 'run') {
      // Recent steps are found again each time; reread their related data at intervals.
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

  /** The command's output so far, which a worker copies while we ask for it. */
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
