/**
 * Bundled deterministic agents, `scripted:<policy>[:<number>]`: product code that uses the same
 * parser, ledger and sandbox as a provider's replies (models/scripted/).
 */
export const SCRIPTED_POLICIES = [
  'baseline',
  'oracle',
  'spoiler',
  'optimum',
  'clumsy',
  'slow',
  'counter',
  'climber',
  'seeker',
] as const;
export type ScriptedPolicy = (typeof SCRIPTED_POLICIES)[number];

export const SCRIPTED_DESCRIPTIONS: Record<ScriptedPolicy, string> = {
  baseline: "runs the task's baseline.command, if it has one, and submits",
  oracle: "puts the task's oracle/ into the workspace, runs its oracle.command, if it has one, validates, submits",
  spoiler:
    "spoils what the task's oracle/ submits in each way, validates that, submits nothing; for `bench tasks verify`",
  optimum: 'edits the strategy of a bundled game to the known optimum, validates, submits',
  clumsy: 'bad format, a failing command, a broken edit, a late submit',
  slow: 'three commands of <number> seconds each (default 20), then submits',
  counter: 'appends to a counter file in <number> steps (default 10), then submits',
  climber: 'gets a little nearer to the optimum of battleOfSexes with each node of a search tree, now and then fails',
  seeker: "plays the task's oracle/ with a share that changes by chance with each idea, more often for the worse",
};

/** Default number. */
export const SCRIPTED_NUMBER: Partial<Record<ScriptedPolicy, number>> = { slow: 20, counter: 10 };

/** Only validate and submit, unless the task has a command for the baseline. */
export const SCRIPTED_WITHOUT_SHELL: readonly ScriptedPolicy[] = ['baseline'];

/** Play a task's secret solution: no method of any kind. */
export const playsOracle = (policy: ScriptedPolicy): boolean =>
  policy === 'oracle' || policy === 'spoiler' || policy === 'seeker';

/** Without the `scripted:` prefix; null: no bundled policy. */
export function parseScriptedPolicy(text: string): { policy: ScriptedPolicy; number: number } | null {
  const match = /^([a-z]+)(?::([1-9][0-9]{0,5}))?$/.exec(text);
  const policy = SCRIPTED_POLICIES.find((name) => name === match?.[1]);
  if (match === null || policy === undefined) return null;
  const fallback = SCRIPTED_NUMBER[policy];
  if (match[2] !== undefined && fallback === undefined) return null;
  return { policy, number: match[2] === undefined ? (fallback ?? 0) : Number(match[2]) };
}
