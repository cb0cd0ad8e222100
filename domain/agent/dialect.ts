/** Wording of special commands and evaluations, and which edits they refuse. */
export const DIALECTS = ['bench', 'mlgym'] as const;
export type Dialect = (typeof DIALECTS)[number];

/** MLGym's alias of `ls` is a function here, since shells do not inherit aliases. */
export const dialectEnvironment = (dialect: Dialect | undefined): Record<string, string> =>
  dialect === 'mlgym' ? { AGENT_DIALECT: 'mlgym', 'BASH_FUNC_ls%%': '() { command ls -F "$@"; }' } : {};
