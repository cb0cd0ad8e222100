import type { EvaluatorPort } from '../domain/ports/evaluator-port.js';
import type { SandboxPort } from '../domain/ports/sandbox-port.js';
import type { Backend } from '../domain/run.js';

/** Where the agents of each backend live, and where their submissions are evaluated. */
export type Backends = Record<Backend, { sandbox: SandboxPort; evaluator: EvaluatorPort }>;
