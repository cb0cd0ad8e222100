import { KEPT_PART } from '../domain/agent/step-text.js';
import { PromptHistory } from '../domain/agent/prompt-history.js';
import type { ChatMessage } from '../domain/model/model.js';
import type { MemoryLog } from '../domain/ports/record/memories.js';
import type { RunLifecycle } from '../domain/ports/record/run-lifecycle.js';
import type { ShownRow, StepLog } from '../domain/ports/record/steps.js';
import type { RunDefinition, StepRecord } from '../domain/run/run.js';

type Store = Pick<StepLog, 'shownSteps'> & Pick<MemoryLog, 'memoryRecords'> & Pick<RunLifecycle, 'workspace'>;

/** Providers' caches forget a prompt after five minutes; with the model's own time. */
const LONG_WAIT_MS = 270_000;
/** One prompt that is read again pays for this many steps of dearer writes. */
const WITHIN_STEPS = 10;

/**
 * A step's recorded action, else the messages that request one. `summary` null: the agent writes
 * none, or no older step is left. `waitsLong`: a recent step took longer than a cache lasts.
 */
export type Question =
  | { kind: 'decided'; action: StepRecord['action']; modelMs: number; refused: boolean }
  | { kind: 'open'; messages: ChatMessage[]; workspace: string; summary: SummaryPrompt | null; waitsLong: boolean };

export interface SummaryPrompt {
  messages: ChatMessage[];
  through: number;
}

function openQuestion(
  { agent, model }: RunDefinition,
  { history, workspace, longWait }: Pick<Kept, 'history' | 'workspace' | 'longWait'>,
  step: number,
  newest: readonly ShownRow[],
): Question {
  const window = agent.compactAt === undefined ? undefined : model.config?.contextWindow;
  const summary = window === undefined ? null : history.summary(newest, KEPT_PART * window);
  const waitsLong = longWait > 0 && step - longWait <= WITHIN_STEPS;
  return { kind: 'open', messages: history.prompt(newest), workspace, summary, waitsLong };
}

/** The last step that took longer than a cache lasts; 0: none. */
const lastLongWait = (rows: readonly ShownRow[], before: number): number =>
  rows.findLast(({ executedMs }) => executedMs > LONG_WAIT_MS)?.step ?? before;

interface Kept {
  history: PromptHistory;
  /** All that messages depend on apart from the run's definition and its steps. */
  workspace: string;
  memoryRecords: number | null;
  /** The step after the history's last, in memory alone; absent: the next question reads it. */
  newest?: ShownRow | undefined;
  /** The last step that took longer than a provider's cache lasts; 0: none. */
  longWait: number;
  size: number;
}

/** Characters over all runs: prompts of hundreds of runs that show a few observations. */
const MOST_KEPT = 64 * 1024 * 1024;

/**
 * Builds prompts from the record and keeps what it read, so that late steps read no more. Not the
 * newest step, whose observation may still get a message; older ones never change.
 */
export class PromptHistories {
  /** By run, least recently used first, without those in use. */
  readonly #kept = new Map<string, Kept>();
  readonly #most: number;
  #size = 0;

  constructor(most = MOST_KEPT) {
    this.#most = most;
  }

  /** `before`: the step before as its record has it, in the slice that plays both. */
  async question(store: Store, run: RunDefinition, step: number, before?: ShownRow): Promise<Question> {
    const { runId } = run;
    const known = this.#take(runId);
    if (known !== undefined && before !== undefined && run.memory !== true) {
      const question = questionInMemory(run, known, step, before);
      if (question !== null) {
        this.#keep(runId, { ...known, newest: before, longWait: lastLongWait([before], known.longWait) });
        return question;
      }
    }
    const { through = 0, settledThrough = 0 } = known?.history ?? {};
    const pages = store.shownSteps(runId, { after: Math.min(through, step - 1), through: step, settledThrough });
    const [first, workspace, memoryRecords] = await Promise.all([
      pages.next(),
      store.workspace(runId),
      run.memory === true ? store.memoryRecords(runId) : null,
    ]);
    if (known !== undefined && (known.workspace !== workspace || known.memoryRecords !== memoryRecords))
      return this.question(store, run, step);

    const history = known?.history ?? new PromptHistory({ ...run, memoryRecords }, workspace);
    const newest: ShownRow[] = [];
    let longWait = known?.longWait ?? 0;
    for (let page = first; page.done !== true; page = await pages.next()) {
      longWait = lastLongWait(page.value, longWait);
      history.add(page.value.filter((row) => row.step < step - 1));
      newest.push(...page.value.filter((row) => row.step >= step - 1));
    }
    const decided = newest.find((row) => row.step === step);
    // It goes beyond this step, which has no action: not this record's history.
    if (decided === undefined && history.through > Math.max(0, step - 2)) return this.question(store, run, step);
    const question: Question =
      decided === undefined
        ? openQuestion(run, { history, workspace, longWait }, step, newest)
        : {
            ...{ kind: 'decided', action: decided.action, modelMs: decided.modelMs ?? 0 },
            refused: decided.refused === true,
          };
    this.#keep(runId, { history, workspace, memoryRecords, newest: before, longWait });
    return question;
  }

  #take(runId: string): Kept | undefined {
    const kept = this.#kept.get(runId);
    this.#kept.delete(runId);
    this.#size -= kept?.size ?? 0;
    return kept;
  }

  #keep(runId: string, what: Omit<Kept, 'size'>): void {
    const kept: Kept = { ...what, size: sizeOf(what) };
    // The same step may be requested twice at once.
    this.#take(runId);
    this.#kept.set(runId, kept);
    this.#size += kept.size;
    for (const one of this.#kept.values()) {
      if (this.#size <= this.#most) return;
      if (one.history.through === 0) continue;
      one.history.shrink();
      one.newest = undefined;
      this.#size -= one.size;
      one.size = sizeOf(one);
      this.#size += one.size;
    }
    for (const oldest of this.#kept.keys()) {
      if (this.#size <= this.#most) return;
      this.#take(oldest);
    }
  }
}

const sizeOf = ({ history, newest }: Omit<Kept, 'size'>): number =>
  history.size + (newest?.observation?.length ?? 0) + (newest?.response.length ?? 0) + (newest?.reasoning?.length ?? 0);

/** Null: the history lacks a step that only the record has. */
function questionInMemory(
  run: RunDefinition,
  { history, newest, workspace, longWait }: Kept,
  step: number,
  before: ShownRow,
): Question | null {
  if (before.step !== step - 1) return null;
  if (newest?.step === history.through + 1 && newest.step === step - 2) history.add([newest]);
  if (history.through !== step - 2) return null;
  return openQuestion(run, { history, workspace, longWait: lastLongWait([before], longWait) }, step, [before]);
}
