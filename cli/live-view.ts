import type { BatchStatusReport, RunSummary } from '../db/index.js';
import type { CliOutput } from './context.js';
import { batchHeadline } from './render/batch.js';
import { formatScore, plural } from './render/format.js';
import { phase, renderRuns } from './render/runs.js';

/** Runs that move come first, then those that wait, then those that ended: what must be cut is the least interesting. */
const order = (run: RunSummary): number => (run.status === 'ended' ? 2 : run.status === 'queued' ? 1 : 0);

/**
 * A batch's progress: a table that redraws itself on a terminal, elsewhere a line for each change of a run's phase or score.
 */
export class LiveView {
  private drawnLines = 0;
  private readonly told = new Map<string, string>();
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
    if (this.toStdout) this.output.printRaw(text);
    else this.output.logRaw(text);
  }

  private erase(): void {
    if (this.drawnLines > 0) this.write(`\u001b[${this.drawnLines}A\u001b[J`);
    this.drawnLines = 0;
  }

  show(report: BatchStatusReport): void {
    if (this.redraw) this.draw(report);
    else this.tell(report);
  }

  /** A line that stays, above the table. */
  notice(line: string): void {
    this.erase();
    this.write(`${this.colors.yellow(line)}\n`);
  }

  /** The last table stays on the screen. */
  end(): void {
    this.drawnLines = 0;
  }

  private draw(report: BatchStatusReport): void {
    const room = Math.max(3, this.output.height - 6);
    const runs = [...report.runList].sort((a, b) => order(a) - order(b));
    const shown = report.runList.length <= room ? report.runList : runs.slice(0, room);
    const lines = [batchHeadline(report, this.colors), ...renderRuns(shown, this.colors).split('\n')];
    if (shown.length < runs.length)
      lines.push(this.colors.dim(`… and ${plural(runs.length - shown.length, 'more run')}`));
    this.erase();
    // A wrapped line would count as two: the terminal is told not to wrap meanwhile.
    this.write(`\u001b[?7l${lines.join('\n')}\n\u001b[?7h`);
    this.drawnLines = lines.length;
  }

  private tell(report: BatchStatusReport): void {
    for (const run of report.runList) {
      const state = `${phase(run)} best ${formatScore(run.bestScore)}`;
      const before = this.told.get(run.runId);
      if (before === state || (before === undefined && run.status === 'queued')) continue;
      this.told.set(run.runId, state);
      const score = run.bestScore === null ? '' : `, best ${formatScore(run.bestScore)}`;
      this.write(`${run.runId} ${run.model} ${run.task} #${run.attempt}: ${phase(run)}, step ${run.steps}${score}\n`);
    }
  }
}
