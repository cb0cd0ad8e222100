type Verb = (ports: never, ...args: never[]) => unknown;

/** The ports of all these verbs, for a verb or a server that passes its own ports on to them. */
export type PortsOf<Verbs extends readonly Verb[]> = Verbs extends readonly [
  infer First extends Verb,
  ...infer Rest extends readonly Verb[],
]
  ? Parameters<First>[0] & PortsOf<Rest>
  : unknown;
