import type { CliOutput } from './context.js';
import { pausedLine } from './render/batch-state.js';
import { formatScore, plural } from '../domain/text/format.js';
import { blockerLine } from './render/blocker.js';
import { providerTroubleLine } from './render/provider-trouble.js';
import { phase } from './render/runs.js';
import { control, cutToWidth } from './terminal-text.js';
import { MOST_LISTED_RUNS, renderWatchedCells, renderWatchedRuns, watchHeadline } from './render/watch.js';
import type { BatchStatusReport } from '../domain/views/batches.js';
import type { RunSummary } from '../domain/views/runs.js';

const TOTALS_MS = 10_000;
const MOST_TROUBLES = 3;

const troubleKey = ({ model, endpoint, error }: BatchStatusReport['providerErrors'][number]): string =>
  JSON.stringify([model, endpoint, error]);

/** Running, then waiting, then ended runs: the end of the list is cut first. */
const order = (run: RunSummary): number => (run.status === 'ended' ? 2 : run.status === 'queued' ? 1 : 0);

/**
 * A batch's progress: a redrawn table on a terminal, else a line per change of phase or score. A
 * large batch has a table row per model and task, and lines with totals.
 */
export class LiveView {
  private drawnLines = 0;
  private nextTotals = 0;
  private readonly printed = new Map<string, string>();
  private troubles = new Set<string>();
  private pausedAt: string | null = null;
  private blockedBy: string | null = null;
  private readonly redraw: boolean;
  private readonly toStdout: boolean;

  constructor(
    private readonly output: CliOutput,
    where: 'stdout' | 'stderr',
  ) {
    this.toStdout = where === 'stdout' && !output.jsonMode;
    this.redraw = this.toStdout ? output.interactive : output.logInteractive;
  }

  private get colors() {
    return this.toStdout ? this.output.colors : this.output.logColors;
  }

  private write(text: string): void {
    if (this.toStdout) this.output.draw(text);
    else this.output.drawLog(text);
  }

  private erase(): void {
    if (this.drawnLines > 0) this.write(control('A', this.drawnLines) + control('J'));
    this.drawnLines = 0;
  }

  show(report: BatchStatusReport): void {
    if (this.redraw) this.draw(report);
    else {
      this.writeTroubles(report);
      this.writeBlocker(report);
      this.writeReport(report);
      this.writePaused(report);
    }
  }

  /** A line that stays, above the table. */
  notice(line: string): void {
    this.erase();
    this.write(`${this.colors.yellow(line)}\n`);
  }

  end(): void {
    this.drawnLines = 0;
  }

  private draw(report: BatchStatusReport): void {
    const troubles = report.providerErrors
      .slice(0, MOST_TROUBLES)
      .map((one) => this.colors.yellow(providerTroubleLine(one)));
    const paused = pausedLine(report).map((line) => this.colors.yellow(line));
    const blockedBy = blockerLine(report);
    if (blockedBy !== null) troubles.unshift(this.colors.yellow(blockedBy));
    const room = Math.max(3, this.output.height - 6 - troubles.length - paused.length);
    const { rows, cut } = report.runList.length > MOST_LISTED_RUNS ? this.cells(report, room) : this.runs(report, room);
    const lines = [
      watchHeadline(report, this.colors),
      ...paused,
      ...troubles,
      ...rows,
      ...(cut === '' ? [] : [this.colors.dim(cut)]),
    ];
    const drawn = lines.map((line) => cutToWidth(line, this.output.width)).join('\n');
    this.erase();
    // Wrapping is off meanwhile: a wrapped line would count as two, and fonts differ in width.
    this.write(`${control('l', '?7')}${drawn}\n${control('h', '?7')}`);
    this.drawnLines = lines.length;
  }

  private runs(report: BatchStatusReport, room: number): { rows: string[]; cut: string } {
    const runs = [...report.runList].sort((a, b) => order(a) - order(b));
    const shown = report.runList.length <= room ? report.runList : runs.slice(0, room);
    const more = runs.length - shown.length;
    const rows = renderWatchedRuns(shown, report, this.colors).split('\n');
    return { rows, cut: more > 0 ? `… and ${plural(more, 'more run')}` : '' };
  }

  private cells(report: BatchStatusReport, room: number): { rows: string[]; cut: string } {
    const rows = renderWatchedCells(report, this.colors).split('\n');
    const more = rows.length - 1 - room;
    return { rows: rows.slice(0, room + 1), cut: more > 0 ? `… and ${plural(more, 'more line')}` : '' };
  }

  /** Changed totals of a large batch, at intervals. */
  private writeTotals(report: BatchStatusReport): void {
    const state = JSON.stringify([report.ended, report.byEndReason]);
    if (this.printed.get(report.batchId) === state || Date.now() < this.nextTotals) return;
    this.printed.set(report.batchId, state);
    this.nextTotals = Date.now() + TOTALS_MS;
    this.write(`${watchHeadline(report, this.colors)}\n`);
  }

  /** When new, and when it returns after answered calls. */
  private writeTroubles(report: BatchStatusReport): void {
    const now = new Set(report.providerErrors.map(troubleKey));
    report.providerErrors.forEach((one) => {
      if (!this.troubles.has(troubleKey(one))) this.write(`${this.colors.yellow(providerTroubleLine(one))}\n`);
    });
    this.troubles = now;
  }

  /** Each time it is paused. */
  private writePaused(report: BatchStatusReport): void {
    if (this.pausedAt !== report.pausedAt)
      for (const line of pausedLine(report)) this.write(`${this.colors.yellow(line)}\n`);
    this.pausedAt = report.pausedAt;
  }

  /** When new. A provider's errors have their own lines. */
  private writeBlocker(report: BatchStatusReport): void {
    const now = report.blockedBy?.cause === 'provider' ? null : (report.blockedBy?.detail ?? null);
    const line = blockerLine(report);
    if (now !== null && now !== this.blockedBy && line !== null) this.write(`${this.colors.yellow(line)}\n`);
    this.blockedBy = now;
  }

  private writeReport(report: BatchStatusReport): void {
    if (report.runList.length > MOST_LISTED_RUNS) {
      this.writeTotals(report);
      return;
    }
    for (const run of report.runList) {
      const state = `${phase(run)} best ${formatScore(run.bestScore)}`;
      const before = this.printed.get(run.runId);
      if (before === state || (before === undefined && run.status === 'queued')) continue;
      this.printed.set(run.runId, state);
      const score = run.bestScore === null ? '' : `, best ${formatScore(run.bestScore)}`;
      this.write(`${run.runId} ${run.model} ${run.task} #${run.attempt}: ${phase(run)}, step ${run.steps}${score}\n`);
    }
  }
}
