import { BenchError } from '../../domain/errors.js';
import type { TaskSpec } from '../../domain/task/task.js';
import { type Policy, type PolicyView, reply, type OracleFile } from './policy.js';
import { quotedWord } from '../../domain/text/shell-word.js';

/** Large, since each takes a step, but small enough for a shell and the history. */
const PIECE = 96 * 1024;

/** Writes any content unchanged. */
export function writeCommands(files: readonly OracleFile[]): string[] {
  const commands: string[] = [];
  let lines: string[] = [];
  let room = PIECE;
  const flush = (): void => {
    if (lines.length > 0) commands.push(lines.join('\n'));
    [lines, room] = [[], PIECE];
  };
  for (const { path, content, executable } of files) {
    const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : null;
    let at = 0;
    do {
      if (room === 0) flush();
      const piece = content.subarray(at, at + room);
      if (at === 0 && folder !== null) lines.push(`mkdir -p ${quotedWord(folder)}`);
      const text = piece.toString('base64').replace(/.{76}(?=.)/g, '$&\n');
      lines.push(
        `base64 -d ${at === 0 ? '>' : '>>'} ${quotedWord(path)} <<'END_OF_FILE'`,
        ...(text === '' ? [] : [text]),
        'END_OF_FILE',
      );
      at += piece.length;
      room -= piece.length;
    } while (at < content.length);
    if (executable) lines.push(`chmod +x ${quotedWord(path)}`);
  }
  flush();
  return commands;
}

/** Throws BenchError if the task has no solution. */
export function oracleCommands({ task, oracleFiles = [] }: PolicyView): { commands: string[]; task: TaskSpec } {
  if (task === undefined || oracleFiles.length === 0)
    throw new BenchError('usage', `Task ${task?.id ?? ''} has no oracle/ to play.`, {
      code: 'model.unsuitable',
      remedy: 'Put a solution into the folder oracle/ of the task, or leave this model out.',
    });
  const made = task.oracle?.command;
  return { commands: [...writeCommands(oracleFiles), ...(made === undefined ? [] : [made])], task };
}

export const oracle: Policy = (view) => {
  const { commands } = oracleCommands(view);
  const command = [...commands, 'validate'][view.stepsTaken];
  if (command === undefined) return reply('That is my submission.', 'submit');
  return reply(command === 'validate' ? 'What is it worth?' : 'I know a solution.', command);
};
