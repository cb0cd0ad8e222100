import { type Policy, reply } from './policy.js';

// The opponent repeats our first move with probability 0.8: 0 in round 1 earns nothing, then 9 rounds of 2 × 0.8: 14.4 / 10.
const EDIT = `cat > strategy.py <<'EOF'
def row_strategy(history):
    """Open with 0 and stay there: the opponent follows the first move, and 0 pays the row player 2."""
    return 0
EOF
cat strategy.py`;

const TEST = `python3 - <<'EOF'
from strategy import row_strategy
history = []
for _ in range(10):
    history.append((row_strategy(list(history)), 0))
print("moves:", [row for row, _ in history])
EOF`;

const STEPS: readonly [thought: string, command: string][] = [
  ['First I look at what there is.', 'ls -la && cat strategy.py'],
  ['What is the starter worth?', 'validate'],
  ['The opponent seems to follow my first move, and (0, 0) pays me most: I always play 0.', EDIT],
  ['A quick check that the function does what I mean.', TEST],
  ['Now its score.', 'validate'],
  ['That is as good as it gets.', 'submit'],
];

/** Reaches the optimum of battleOfSexes through real edits and validations. */
export const optimum: Policy = ({ stepsTaken }) => {
  const [thought, command] = STEPS[Math.min(stepsTaken, STEPS.length - 1)] ?? ['', 'submit'];
  return reply(thought, command);
};
