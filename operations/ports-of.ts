/** The ports of all of these verbs together: each takes its own as the first parameter. */
export type PortsOf<Verb extends (ports: never, ...rest: never[]) => unknown> = [Verb] extends [
  (ports: infer Ports, ...rest: never[]) => unknown,
]
  ? Ports
  : never;
