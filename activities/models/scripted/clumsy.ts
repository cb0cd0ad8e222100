import { type Policy, reply } from './policy.js';

const BROKEN = `cat > strategy.py <<'EOF'
def row_strategy(history)
    return 1
EOF`;

const MEDIOCRE = `cat > strategy.py <<'EOF'
def row_strategy(history):
    return 0 if len(history) % 5 != 4 else 1
EOF`;

const STEPS: readonly [thought: string, command: string][] = [
  ['Let me read the instructions.', 'cat INSTRUCTIONS.txt'],
  ['I write a strategy.', BROKEN],
  ['It must be good.', 'validate'],
  ['A colon was missing. I also change my mind about the moves.', MEDIOCRE],
  ['Again.', 'validate'],
  ['I wonder what else is here.', 'ls /nowhere; pwd'],
  ['I wait a little, in case it helps.', 'sleep 1; echo waited'],
  ['One more look.', 'wc -l strategy.py'],
  ['Time to hand it in.', 'submit'],
];

/** Bad format now and then, a failing command, a broken edit, and a late submission of something mediocre. */
export const clumsy: Policy = ({ stepsTaken, requery }) => {
  const [thought, command] = STEPS[Math.min(stepsTaken, STEPS.length - 1)] ?? ['', 'submit'];
  if (!requery && stepsTaken === 0) return 'I think I should first look around in the workspace.';
  if (!requery && stepsTaken === 3) return reply(thought, 'echo one') + reply('and also', 'echo two');
  return reply(thought, command);
};
