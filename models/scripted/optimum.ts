import type { Game } from './game.js';
import { type Policy, reply } from './policy.js';

interface Play {
  insight: string;
  docstring: string;
  /** Constant result of row_strategy. */
  move: string;
}

const PLAYS: Record<Game, Play> = {
  // The opponent repeats our first move at a probability of 0.8: 0, then 9 × 1.6: 14.4 / 10.
  battleOfSexes: {
    insight: 'The opponent seems to follow my first move, and (0, 0) pays me most: I always play 0.',
    docstring: 'Open with 0 and stay there: the opponent follows the first move, and 0 pays the row player 2.',
    move: '0',
  },
  // Its eleven rules are remixed each round, so cooperation does not pay.
  prisonersDilemma: {
    insight:
      'What the opponent does depends little on what I do, so the move that pays more in each round is best: I always defect.',
    docstring: 'Defect: the opponent reacts too little to make cooperation pay.',
    move: '1',
  },
  // It spreads its soldiers at random: four fields of 30 win most often.
  blotto: {
    insight: 'The opponent spreads its soldiers by chance and seldom evenly: I give up two fields and hold four.',
    docstring: 'Give up two fields and hold the four others, which is enough to win.',
    move: '[0, 0, 30, 30, 30, 30]',
  },
};

const edit = ({ docstring, move }: Play): string => `cat > strategy.py <<'EOF'
def row_strategy(history):
    """${docstring}"""
    return ${move}
EOF
cat strategy.py`;

const TEST = `python3 - <<'EOF'
from strategy import row_strategy
history = []
for _ in range(10):
    move = row_strategy(list(history))
    history.append((move, move))
print("moves:", [row for row, _ in history])
EOF`;

const steps = (play: Play): readonly [thought: string, command: string][] => [
  ['First I look at what there is.', 'ls -la && cat strategy.py'],
  ['What is the starter worth?', 'validate'],
  [play.insight, edit(play)],
  ['A quick check that the function does what I mean.', TEST],
  ['Now its score.', 'validate'],
  ['That is as good as it gets.', 'submit'],
];

export const optimum: Policy = ({ game, stepsTaken }) => {
  const [thought, command] = steps(PLAYS[game])[stepsTaken] ?? ['That is as good as it gets.', 'submit'];
  return reply(thought, command);
};
