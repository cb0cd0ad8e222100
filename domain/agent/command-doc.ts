/** A special command as documented to the agent. */
export interface CommandDoc {
  name: string;
  docstring: string;
  /** `edit <start>:<end>`, `open "<path>" [<line>]`; else made from name and arguments. */
  signature?: string | undefined;
  /** Last line of a command of several lines. */
  endName?: string | undefined;
  arguments: { name: string; type: string; description: string; required: boolean }[];
}
