import type { EvaluatorPort } from '../domain/ports/evaluator-port.js';
import type { LeftoversPort } from '../domain/ports/leftovers-port.js';
import type { SandboxPort } from '../domain/ports/sandbox-port.js';
import type { Backend } from '../domain/run.js';

/** Where the agents of each backend live, where their submissions are evaluated, and what may be left of both. */
export type Backends = Record<Backend, { sandbox: SandboxPort; evaluator: EvaluatorPort; leftovers: LeftoversPort }>;
