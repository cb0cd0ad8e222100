export interface CommandDoc {
  name: string;
  docstring: string;
  /** `edit <start>:<end>`, `open "<path>" [<line>]`; default: from name and arguments. */
  signature?: string | undefined;
  /** Last line of a multiline command. */
  endName?: string | undefined;
  arguments: { name: string; type: string; description: string; required: boolean }[];
}
