/** All ports of these verbs together. */
export type PortsOf<Verb extends (ports: never, ...rest: never[]) => unknown> = [Verb] extends [
  (ports: infer Ports, ...rest: never[]) => unknown,
]
  ? Ports
  : never;
