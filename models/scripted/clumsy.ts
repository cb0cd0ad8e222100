import type { Game } from './game.js';
import { type Policy, reply } from './policy.js';

const BROKEN = `cat > strategy.py <<'EOF'
def row_strategy(history)
    return 1
EOF`;

const EVERY_FIFTH_OTHERWISE = '0 if len(history) % 5 != 4 else 1';
const MEDIOCRE: Record<Game, string> = {
  battleOfSexes: EVERY_FIFTH_OTHERWISE,
  prisonersDilemma: EVERY_FIFTH_OTHERWISE,
  blotto: '[20, 20, 20, 20, 20, 20]',
};

const mediocre = (game: Game): string => `cat > strategy.py <<'EOF'
def row_strategy(history):
    return ${MEDIOCRE[game]}
EOF`;

const steps = (game: Game): readonly [thought: string, command: string][] => [
  ['Let me read the instructions.', 'cat INSTRUCTIONS.txt'],
  ['I write a strategy.', BROKEN],
  ['It must be good.', 'validate'],
  ['A colon was missing. I also change my mind about the moves.', mediocre(game)],
  ['Again.', 'validate'],
  ['I wonder what else is here.', 'ls /nowhere; pwd'],
  ['I wait a little, in case it helps.', 'sleep 1; echo waited'],
  ['One more look.', 'wc -l strategy.py'],
  ['Time to hand it in.', 'submit'],
];

/** Bad format, a failing command, a broken edit, and a late, mediocre submission. */
export const clumsy: Policy = ({ game, stepsTaken, requery }) => {
  const [thought, command] = steps(game)[stepsTaken] ?? ['Time to hand it in.', 'submit'];
  const right = reply(thought, command);
  if (!requery && stepsTaken === 0)
    return { ...right, instead: { text: 'I think I should first look around in the workspace.' } };
  if (!requery && stepsTaken === 3)
    return { ...right, instead: { commands: [reply(thought, 'echo one'), reply('and also', 'echo two')] } };
  return right;
};
