import { randomIndexes } from '../../domain/statistics/random-index.js';
import { type Policy, reply } from './policy.js';

/** Share of the first action: below a third, where 2p² + (1 − p)² is least, more is worse. */
const LEAST = 0.35;
/** Largest increases: of a draft, and of a node over its parent. */
const FIRST = 0.25;
const FURTHER = 0.3;
/** One node in so many fails to run. */
const BROKEN = 5;

const write = (first: number, further: number, broken: boolean): string => `python3 - <<'EOF'
import re
known = re.search(r'^P = ([0-9.]+)', open('strategy.py').read(), re.M)
p = min(1, float(known[1]) + ${further}) if known else ${first}
with open('strategy.py', 'w') as file:
    file.write(f'''P = {p:.3f}
import random


def row_strategy(history)${broken ? '' : ':'}
    return 0 if random.random() < P else 1
''')
EOF
head -1 strategy.py`;

/** Approaches the optimum of battleOfSexes with each node; the seed decides. */
export const climber: Policy = ({ stepsTaken, seed = 0 }) => {
  const draw = randomIndexes(seed);
  const share = (most: number): number => Number(((most * draw(1000)) / 1000).toFixed(3));
  const [first, further] = [LEAST + share(FIRST), share(FURTHER)];
  const broken = draw(BROKEN) === 0;
  return stepsTaken % 2 === 0
    ? reply('A little more of what pays.', write(first, further, broken))
    : reply('What is that worth?', 'validate');
};
