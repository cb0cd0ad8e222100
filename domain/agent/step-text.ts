/**
 * Several tool calls of one reply are one step: their commands are one action, and their results
 * one observation. Both are plain text that separates into its parts without any other record.
 */

/** Of one reply. */
export const MOST_CALLS = 10;

const callLine = (at: number, of: number): string => `# call ${at} of ${of}`;

/** Line `at` + 1 of the parts is the mark, if they are several. */
function marked(text: string, lineOf: (at: number, of: number) => string): string[] | null {
  const lines = text.split('\n');
  const count = Number(/ of (\d+)/.exec(lines[0] ?? '')?.[1] ?? 0);
  if (!(count > 1 && count <= MOST_CALLS) || lines[0] !== lineOf(1, count)) return null;
  const starts = [0];
  for (const [at, line] of lines.entries()) if (line === lineOf(starts.length + 1, count)) starts.push(at);
  if (starts.length !== count) return null;
  return starts.map((start, at) => lines.slice(start + 1, starts[at + 1]).join('\n'));
}

export const separateCalls = (action: string): string[] => marked(action, callLine) ?? [action];

const equal = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((part, at) => part === b[at]);

/** Null: a command holds a line that looks like a mark, so that the action would not separate. */
export function joinedCalls(commands: readonly string[]): string | null {
  const joined =
    commands.length === 1
      ? (commands[0] ?? '')
      : commands.map((command, at) => `${callLine(at + 1, commands.length)}\n${command}`).join('\n');
  return equal(separateCalls(joined), commands) ? joined : null;
}

/** The number under which a sandbox runs a call of a step; the first has the step's. */
export const commandNumber = (step: number, call: number): number => step + call * CALL_NUMBERS;
/** More than any run has steps. */
const CALL_NUMBERS = 1_000_000;

export interface CallResult {
  text: string;
  /** Null: unknown. */
  exitCode: number | null;
}

const RESULT = /^\[result (\d+) of (\d+), exit code (\d+|unknown)\]$/;
const resultLine = (at: number, of: number, exitCode: number | null): string =>
  `[result ${at} of ${of}, exit code ${exitCode ?? 'unknown'}]`;
/** Output that looks like a mark is none. */
const harmless = (text: string): string =>
  text.replace(/^(?=\[result \d+ of \d+, exit code (?:\d+|unknown)\]$)/gm, ' ');

/** `of`: calls of the reply; the last ones may not have run. */
export const joinedResults = (results: readonly CallResult[], of: number): string =>
  of === 1
    ? (results[0]?.text ?? '')
    : results.map(({ text, exitCode }, at) => `${resultLine(at + 1, of, exitCode)}\n${harmless(text)}`).join('\n');

/** Of a step whose reply has so many calls: results of those that ran, in order. */
export function resultTexts(observation: string, calls: number): string[] {
  const separate = calls > 1 ? separateResults(observation, calls) : [];
  return separate.length === 0 ? [observation] : separate.map(({ text }) => text);
}

/** What follows the last mark, such as a score, is part of its result. */
export function separateResults(observation: string, of: number): CallResult[] {
  const lines = observation.split('\n');
  const results: { from: number; exitCode: number | null }[] = [];
  for (const [at, line] of lines.entries()) {
    const [, number, count, code] = RESULT.exec(line) ?? [];
    if (Number(number) === results.length + 1 && Number(count) === of)
      results.push({ from: at + 1, exitCode: code === 'unknown' ? null : Number(code) });
  }
  return results.map(({ from, exitCode }, at) => {
    const next = results[at + 1];
    return { text: lines.slice(from, next === undefined ? undefined : next.from - 1).join('\n'), exitCode };
  });
}

/**
 * A step of its own kind: the model summarises its older steps, and prompts show the summary in
 * their place. Its action does nothing as a command, so views, exports and replays know no other
 * kind of step.
 */

const SUMMARY = /^# summary of the steps up to (\d+)$/;

export const summaryAction = (through: number): string => `# summary of the steps up to ${through}`;

/** The last step that a recorded action has summarised; null: it is a command. */
export function summarisedThrough(agent: { compactAt?: number | undefined }, action: string | null): number | null {
  if (agent.compactAt === undefined || action === null) return null;
  const through = SUMMARY.exec(action)?.[1];
  return through === undefined ? null : Number(through);
}

/** Of the window: what stays as it is. At least the newest step does. */
export const KEPT_PART = 0.2;

export const SUMMARY_REQUEST = `The steps above are about to be removed from your context. Write what you need of them to continue:
- the task's state: which files there are, what they do, what you changed and why;
- each approach that you tried, with its score or its error;
- jobs that are running, with their numbers, and what you wait for;
- what you learned about the data and the environment, with exact names, paths and values;
- what you do next.
Answer with this text only. Call no tool.`;

export const summaryMessage = (through: number, text: string): string =>
  `# Your summary of the steps 1 to ${through}\nThose steps were removed from your context. This is what you wrote of them:\n\n${text}`;
