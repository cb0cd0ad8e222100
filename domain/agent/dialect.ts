/** What the special commands and evaluations say, and which edits they refuse. */
export const DIALECTS = ['bench', 'mlgym'] as const;
export type Dialect = (typeof DIALECTS)[number];

/** The dialect as the sandbox's commands learn it, and MLGym's alias of `ls`, as a function: aliases are not inherited. */
export const dialectEnvironment = (dialect: Dialect | undefined): Record<string, string> =>
  dialect === 'mlgym' ? { AGENT_DIALECT: 'mlgym', 'BASH_FUNC_ls%%': '() { command ls -F "$@"; }' } : {};
