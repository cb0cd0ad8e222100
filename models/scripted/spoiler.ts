import { oracleCommands, writeCommands } from './oracle.js';
import { type Policy, reply } from './policy.js';
import { LIMITS, LOOK, SPOIL, waysOf } from './spoil-scripts.js';

const FOLDER = '.spoil';
const file = (path: string, text: string) => ({
  path: `${FOLDER}/${path}`,
  content: Buffer.from(text),
  executable: false,
});

/** Validates the solution, spoiled in each way too; `bench tasks verify` judges the results. */
export const spoiler: Policy = (view) => {
  const { task, secretSizes = [], backend, stepsTaken } = view;
  const { commands, task: known } = oracleCommands(view);
  const { files, folders } = known.submission;
  const tools = [
    file('plan.json', JSON.stringify({ files, folders })),
    file('spoil.py', SPOIL),
    file('look.py', LOOK),
    file('limits.py', LIMITS),
  ];
  // Without isolation the host's files are readable, so do not check.
  const places = backend === 'local' ? '"$HOME"' : '/';
  const steps: [thought: string, command: string][] = [
    ...commands.map((command): [string, string] => ['The solution.', command]),
    ...writeCommands(tools).map((command): [string, string] => ['What spoils it.', command]),
    ['The right one, once.', `python3 ${FOLDER}/spoil.py keep && validate`],
    ...waysOf(known.submission).map((way): [string, string] => [
      `Spoiled: ${way}.`,
      `python3 ${FOLDER}/spoil.py ${way} && validate`,
    ]),
    [
      'Can I read what I must not? What holds me?',
      `python3 ${FOLDER}/look.py '${JSON.stringify(secretSizes)}' ${places}; python3 ${FOLDER}/limits.py`,
    ],
    ['Nothing is handed in.', `python3 ${FOLDER}/spoil.py missing && submit`],
  ];
  const [thought, action] = steps[stepsTaken] ?? [`That is all of ${task?.id ?? 'it'}.`, 'submit'];
  return reply(thought, action);
};
