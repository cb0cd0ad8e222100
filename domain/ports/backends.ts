import type { EvaluatorPort } from './evaluator-port.js';
import type { LeftoversPort } from './leftovers-port.js';
import type { SandboxPort } from './sandbox-port.js';
import type { Backend } from '../run/run.js';

export type Backends = Record<Backend, { sandbox: SandboxPort; evaluator: EvaluatorPort; leftovers: LeftoversPort }>;
