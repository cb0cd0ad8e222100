import { describe, expect, it } from 'vitest';
import { commandLimits, mayTrain, TRAINING_PROGRAMS } from '../../../../domain/agent/command-limits.js';

const limits = { commandSeconds: 1800, shortCommandSeconds: 25 };
const limitOf = (script: string) => commandLimits(script, limits).timeLimitSeconds;

describe('the limit of a command', () => {
  it.each([
    'python train.py',
    'cd src && PYTHONPATH=. python3.11 -u train.py | tee log',
    '/usr/bin/python3 x.py',
    'nohup torchrun --nproc 2 train.py &',
    'timeout 100 python x.py',
    'for i in 1 2; do python run.py $i; done',
    'echo $(python -c "print(1)")',
    'pip install lightgbm',
    'apt-get update',
    'wget -q https://example.org/data.tgz',
    'bash -c "cd x; accelerate launch train.py"',
    'bash run_all.sh',
    './train.sh',
    '$PYTHON train.py',
    'ls *.py | xargs -n1 python',
    "eval 'python x.py'",
    'train() { python x.py; }; train',
  ])('is the long one where something may train: %s', (script) => expect(limitOf(script)).toBe(1800));

  it.each([
    'ls -la',
    'cat python.log',
    'grep -rn "python train.py" .',
    'which python; command -v python3',
    'cat > run.sh <<EOF\npython train.py\nEOF',
    '/bin/ls; /usr/local/bin/validate',
    'find . -name "*.txt"',
    'bash -c "ls"',
    'mypython --version',
    'sleep 100 # python',
    '',
  ])('is the short one where nothing does: %s', (script) => expect(limitOf(script)).toBe(25));

  it('is the one limit of a task that names no short one', () => {
    expect(commandLimits('ls', { commandSeconds: 600 })).toEqual({ timeLimitSeconds: 600 });
  });

  it('is never more than what the run has left', () => {
    expect(commandLimits('python x', limits, 90).timeLimitSeconds).toBe(90);
    expect(commandLimits('ls', limits, 9)).toEqual({ timeLimitSeconds: 9 });
  });

  it('follows the task’s own list of programs', () => {
    expect(commandLimits('julia fit.jl', { ...limits, trainingPrograms: ['julia'] }).timeLimitSeconds).toBe(1800);
    expect(commandLimits('python fit.py', { ...limits, trainingPrograms: ['julia'] }).timeLimitSeconds).toBe(25);
  });

  it('comes with the limit of silence where the task has one', () => {
    expect(commandLimits('ls', { ...limits, silentSeconds: 300 }).silenceLimitSeconds).toBe(300);
    expect(commandLimits('ls', limits)).not.toHaveProperty('silenceLimitSeconds');
  });

  it('ends for text that nests without end', () => {
    let script = 'python x';
    for (let i = 0; i < 8; i++) script = `bash -c ${JSON.stringify(script)}`;
    expect(mayTrain(script, TRAINING_PROGRAMS)).toBe(true);
  });
});
