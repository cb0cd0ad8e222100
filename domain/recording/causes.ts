import { REFUSED_STAND_IN } from './reply.js';

/** Why a step of a replay shows something else than its recording. */
export interface Cause {
  /** Known and accepted: it says nothing against the commands, the files or the scores of this side. */
  declared: boolean;
  meaning: string;
}

export const CAUSES = {
  linter: { declared: false, meaning: 'an edit is refused on one side only, or for other errors' },
  wording: { declared: false, meaning: 'the same result in other sentences; agent `mlgym` has those of MLGym' },
  evaluation: {
    declared: true,
    meaning:
      'refused in other words, or scored here where MLGym refused: evaluators here have their own copies of all but what is handed in',
  },
  unscored: { declared: false, meaning: 'the recording has a score where this side has none' },
  starter: {
    declared: true,
    meaning: 'a file that the run had not changed yet: another version of the starter was recorded',
  },
  hidden: { declared: true, meaning: 'files that only one side shows: those of the evaluator, and of the machine' },
  numbers: { declared: true, meaning: 'the same lines with other numbers: random draws, measured times, sizes' },
  packages: {
    declared: true,
    meaning: 'a package, or a file of one, that only one side has or has in another version',
  },
  limit: { declared: true, meaning: 'one side stopped the command at a time limit' },
  guard: { declared: true, meaning: "MLGym's handling of text around `edit` and `insert` broke the command" },
  refused: { declared: true, meaning: "the agent's blocklist refused the command" },
  unfinished: { declared: false, meaning: 'the command has no output' },
  not_played: { declared: false, meaning: 'the run ended before' },
  other: { declared: false, meaning: 'none of these' },
} as const satisfies Record<string, Cause>;
export type CauseName = keyof typeof CAUSES;
export const CAUSE_NAMES = Object.keys(CAUSES) as [CauseName, ...CauseName[]];

/** What differed before in the same run, and still does: files and what they compute. */
const LASTING: ReadonlySet<CauseName> = new Set([
  'linter',
  'starter',
  'limit',
  'guard',
  'packages',
  'refused',
  'other',
]);

const EDITOR = /^(?:open|goto|scroll_up|scroll_down|create|edit|insert|search_file|search_dir)\b/;
/** Lines whose form is fixed; all others in an answer of the editor are sentences. */
const FIXED = /^(?:\d+:|\[File: |\(\d+ more lines (?:above|below)\)|- [A-Z]\d+ |ERRORS:$|-{49}$|Found |Line \d+:|\/)/;

const lines = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '');
const firstWord = (action: string): string => /^\s*(\S*)/.exec(action)?.[1] ?? '';
/** What the linter said: null, it refused nothing. */
const refusal = (text: string): string | null => {
  const found = /^ERRORS:\n((?:- .*\n)*)/m.exec(text);
  return found === null ? null : (found[1] ?? '').replace(/ \(line \d+:\d+\)$/gm, '');
};
/** Without what stands for itself in every answer of the editor. */
const fixedLines = (text: string): string =>
  lines(text)
    .filter((line) => FIXED.test(line))
    .join('\n');
const withoutNumbers = (text: string): string =>
  text.replace(/-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/g, '#').replace(/ +/g, ' ');
const files = (text: string): string => (/^\[File: (.*?) \(/m.exec(text) ?? [])[1] ?? '';

const isLimit = (text: string): boolean =>
  /^(?:EXECUTION TIMED OUT|\[command stopped: |Error: Timeout reached)/m.test(text);
const isScored = (text: string): boolean => text.includes('<evaluation: valid>');
const isEvaluation = (text: string): boolean =>
  /<evaluation: valid>|^\[evaluation\]|^Failed to decode metrics|^Submission artefact not found|^Error: the evaluation/m.test(
    text,
  );
const isPackage = (text: string): boolean =>
  /\b(?:ModuleNotFoundError|ImportError|No module named|site-packages|command not found|Requirement already satisfied)\b/.test(
    text,
  );
/** More than one command of the editor, or one that is not the first line: MLGym attaches its text to the wrong place. */
const isGuarded = (action: string, recorded: string): boolean => {
  const starts = [...action.matchAll(/^(?:edit \d|insert \d)/gm)].map(({ index }) => index);
  return (
    starts.length > 1 ||
    (starts.length === 1 && starts[0] !== 0) ||
    /^EXECUTION FAILED OR COMMAND|^\/bin\/bash: line/m.test(recorded)
  );
};

/** Finds the causes of one run's steps, which must come in order: what differed before may still show. */
export class CauseFinder {
  #lasting: CauseName | null = null;
  /** Files that commands of the run may have changed. */
  readonly #changed = new Set<string>();
  #anythingChanged = false;

  /** Of a step whose normalised observations are these; null: they are the same. */
  next(action: string, recorded: string, now: string): CauseName | null {
    const cause = recorded === now ? null : this.#of(action, recorded, now);
    this.#note(action, recorded, now);
    if (cause !== null && LASTING.has(cause)) this.#lasting ??= cause;
    return cause;
  }

  #of(action: string, recorded: string, now: string): CauseName {
    const first = firstWord(action);
    if (now === '' && action === REFUSED_STAND_IN) return 'refused';
    if (isLimit(recorded) !== isLimit(now)) return 'limit';
    if (isScored(recorded) && !isScored(now)) return 'unscored';
    if (isEvaluation(recorded) || isEvaluation(now)) return 'evaluation';
    if (EDITOR.test(first)) {
      if (isGuarded(action, recorded)) return 'guard';
      if (refusal(recorded) !== refusal(now)) return this.#lasting ?? 'linter';
      if (fixedLines(recorded) === fixedLines(now)) return 'wording';
      if (first === 'open' && files(recorded) === files(now) && files(now) !== '' && !this.#mayHaveChanged(files(now)))
        return 'starter';
      return this.#lasting ?? (this.#starterDiffers(recorded, now) ? 'starter' : 'other');
    }
    if (isGuarded(action, recorded)) return 'guard';
    if (/^(?:ls|ll|la|l|find|find_file|tree|du|df|pwd|whoami)$/.test(first)) return 'hidden';
    if (isPackage(recorded) !== isPackage(now) || first === 'pip' || first === 'conda') return 'packages';
    if (withoutNumbers(recorded) === withoutNumbers(now)) return 'numbers';
    if (/^(?:cat|head|tail|sed|less|more)$/.test(first) && !this.#anythingChanged) return 'starter';
    return this.#lasting ?? 'other';
  }

  #mayHaveChanged = (file: string): boolean => this.#changed.has(file) || this.#changed.has('*');

  /** An edit before anything else was seen of the file: both sides show it whole. */
  #starterDiffers = (recorded: string, now: string): boolean =>
    !this.#anythingChanged && files(recorded) !== '' && files(recorded) === files(now);

  #note(action: string, recorded: string, now: string): void {
    const first = firstWord(action);
    if (
      /^(?:open|goto|scroll_up|scroll_down|search_file|search_dir|find_file|validate|submit|ls|cat|head|tail|pwd)$/.test(
        first,
      )
    )
      return;
    this.#anythingChanged = true;
    // A shell command may change any file.
    if (/^(?:edit|insert|create)$/.test(first)) for (const text of [recorded, now]) this.#changed.add(files(text));
    else this.#changed.add('*');
  }
}
