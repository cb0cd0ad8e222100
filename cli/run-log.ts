import type { CliOutput } from './context.js';
import { formatTime, indent, oneLine } from './render/format.js';
import { phase } from './render/runs.js';
import { printable } from './terminal-text.js';
import { commandEnd, evaluationLine } from './render/trajectory.js';
import type { EventRow } from '../domain/views/events.js';
import type { RunSummary } from '../domain/views/runs.js';
import type { TrajectoryStep } from '../domain/views/trajectory.js';
import type { LogEntry } from '../domain/views/logs.js';

/** Lines of an observation in a log; `bench trajectory` shows all. */
const OBSERVATION_LINES = 8;

function excerpt(text: string): string {
  const lines = printable(text).trimEnd().split('\n');
  if (lines.length <= OBSERVATION_LINES) return lines.join('\n');
  const half = OBSERVATION_LINES / 2;
  return [...lines.slice(0, half), `… ${lines.length - 2 * half} more lines …`, ...lines.slice(-half)].join('\n');
}

/** Prints each step and event once, in time order per poll. */
export class RunLog {
  /** Only with --json: they contain all that the run's commands printed. */
  readonly entries: LogEntry[] = [];
  count = 0;
  private readonly printed = new Set<string>();

  constructor(private readonly output: CliOutput) {}

  add(steps: readonly TrajectoryStep[], events: readonly EventRow[]): void {
    const fresh: LogEntry[] = [];
    const once = (key: string, entry: LogEntry): void => {
      if (this.printed.has(key)) return;
      this.printed.add(key);
      fresh.push(entry);
    };
    for (const { step, at, ...rest } of steps) {
      once(`action ${step}`, {
        at,
        kind: 'action',
        step,
        text: rest.action ?? (rest.thought || rest.observation || 'no reply could be parsed'),
      });
      if (rest.action !== null && rest.observation !== null) {
        const text = `${commandEnd({ step, at, ...rest })}\n${rest.observation}`;
        once(`observation ${step}`, { at, kind: 'observation', step, text });
      }
      for (const evaluation of rest.evaluations) {
        const text = evaluationLine(evaluation);
        once(`evaluation ${evaluation.number} ${evaluation.split}`, {
          at: evaluation.at,
          kind: 'evaluation',
          step,
          text,
        });
      }
    }
    for (const event of events) {
      once(`event ${event.kind} ${event.key}`, {
        at: event.at,
        kind: 'event',
        step: null,
        text: `${event.kind}: ${event.detail}`,
      });
    }
    fresh.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
    for (const entry of fresh) this.print(entry);
  }

  addEnd(run: RunSummary): void {
    const detail = run.detail === null ? '' : `: ${run.detail}`;
    this.print({ at: run.endedAt ?? run.updatedAt, kind: 'end', step: null, text: `${phase(run)}${detail}` });
  }

  private print(entry: LogEntry): void {
    this.count += 1;
    if (this.output.jsonMode) this.entries.push(entry);
    const { colors } = this.output;
    const time = colors.dim(formatTime(entry.at));
    const step = entry.step === null ? '' : `step ${entry.step} `;
    switch (entry.kind) {
      case 'action':
        this.output.print(`${time} ${colors.bold(step)}${colors.cyan(`$ ${oneLine(entry.text, 200)}`)}`);
        break;
      case 'observation': {
        const [end = '', ...lines] = excerpt(entry.text).split('\n');
        this.output.print(
          `${time} ${step}${end}${lines.length === 0 ? '' : `\n${colors.dim(indent(lines.join('\n'), '    '))}`}`,
        );
        break;
      }
      case 'evaluation':
        this.output.print(`${time} ${step}${colors.green(entry.text)}`);
        break;
      case 'event':
        this.output.print(`${time} ${colors.yellow(oneLine(entry.text, 500))}`);
        break;
      case 'end':
        this.output.print(`${time} ${colors.bold(`ended: ${oneLine(entry.text, 500)}`)}`);
    }
  }
}
