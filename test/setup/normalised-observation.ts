/** Meaningless differences between a recorded observation and the same command's today. */

interface Rule {
  name: string;
  pattern: RegExp;
  mark: string;
}

/** In this order, without terminal codes: dates before clock times, both before durations. */
const NORMALISATION_RULES: readonly Rule[] = [
  {
    name: 'word that an evaluation will follow',
    pattern: /^(?:Validation|Submission) requested: .* as soon as this command has ended\.(?:\n|$)/gm,
    mark: '',
  },
  {
    name: 'evaluation that gave a score',
    pattern:
      /^\[evaluation\] The submission \(.*\) is valid\.(?:\n {2}\S.*)*|^Your code produced a valid submission artefact at .*(?:\n(?:Baseline|Evaluation) Score: .*)*/gm,
    mark: '<evaluation: valid>',
  },
  { name: 'word that the run has ended', pattern: /^Exited \([a-z_]+\)(?:\n|$)/gm, mark: '' },
  {
    name: 'ISO date and time',
    pattern: /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[ ]?[+-]\d\d:?\d\d)?)?(?![\d-])/g,
    mark: '<date>',
  },
  {
    name: 'date as `ls` and `date` write it',
    pattern:
      /\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) +)?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +\d{1,2} +(?:\d{1,2}:\d\d(?::\d\d)?(?: [A-Z]{3,4} \d{4})?|\d{4})\b/g,
    mark: '<date>',
  },
  { name: 'clock time', pattern: /\b\d{1,2}:\d\d:\d\d(?:[.,]\d+)?\b/g, mark: '<time>' },
  { name: 'duration as `time` writes it', pattern: /\b\d+m\d+(?:\.\d+)?s\b/g, mark: '<duration>' },
  {
    name: 'duration or rate',
    pattern: /(?<![\w.])\d+(?:\.\d+)? ?(?:ns|µs|us|ms|s|secs?|seconds?|minutes?|it\/s|s\/it|batch(?:es)?\/s)(?![\w/])/g,
    mark: '<duration>',
  },
  { name: 'temporary path', pattern: /\/(?:var\/)?tmp\/[^\s'":,;)\]}>]+/g, mark: '<temporary path>' },
  { name: 'process', pattern: /\b(pid|process)([ =:]+)\d+\b/gi, mark: '$1$2<number>' },
  { name: 'background job', pattern: /^(\[\d+\]) \d+$/gm, mark: '$1 <number>' },
  { name: 'memory address', pattern: /\b0x[0-9a-f]{6,16}\b/gi, mark: '<address>' },
];

// oxlint-disable-next-line no-control-regex
const TERMINAL_CODES = /\u001b\[[0-9;?]*[ -/]*[@-~]/g;

/** An observation without line ends, trailing spaces, the workspace's path, and the rules above. */
export function normalisedObservation(observation: string, workspace: string | null): string {
  let text = observation
    .replaceAll('\r\n', '\n')
    .replace(TERMINAL_CODES, '')
    .replace(/[ \t]+$/gm, '')
    .replace(/\n+$/, '');
  // Before the rules: a workspace of the local backend may itself lie under /tmp.
  if (workspace !== null && workspace.length > 1) text = text.replaceAll(workspace, '<workspace>');
  for (const { pattern, mark } of NORMALISATION_RULES) text = text.replace(pattern, mark);
  return text.replace(/\n+$/, '');
}
