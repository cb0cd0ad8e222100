import type { ModelCallKey } from '../../../domain/ports/record/call-ledger.js';

export const questionOf = (key: ModelCallKey) => `run ${key.runId}, step ${key.step}, try ${key.try}`;
