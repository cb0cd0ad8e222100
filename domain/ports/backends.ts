import type { EvaluatorPort } from './evaluator-port.js';
import type { LeftoversPort } from './leftovers-port.js';
import type { SandboxPort } from './sandbox-port.js';
import type { Backend } from '../run.js';

/** Where the agents of each backend live, where their submissions are evaluated, and what may be left of both. */
export type Backends = Record<Backend, { sandbox: SandboxPort; evaluator: EvaluatorPort; leftovers: LeftoversPort }>;
