import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadAgent } from '../../../../catalog/index.js';
import { refuseForkOfProgram } from '../../../../operations/batches/refuse-fork.js';

const configs = [join(import.meta.dirname, '../../../../configs')];
const runOf = (agentName: string) => ({ runId: 'r-1', agentName, agent: loadAgent(configs, agentName).config });

describe('a fork', () => {
  it('of a run that a program played is refused in one sentence', () =>
    expect(() => refuseForkOfProgram(runOf('mini-swe-agent'))).toThrow(
      'run r-1 cannot be forked: its agent mini-swe-agent is a program, which always starts over',
    ));
  it('of other runs is not', () => expect(() => refuseForkOfProgram(runOf('default'))).not.toThrow());
});
