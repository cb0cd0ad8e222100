import { spawn, type ChildProcess } from 'node:child_process';

/** A worker in a process of its own that hands a command over and waits for it, to be killed in the midst of it. */
const PROGRAM = `
  const [control, request] = process.argv.slice(1);
  const fs = require('node:fs');
  const directory = fs.openSync(control, fs.constants.O_DIRECTORY);
  const socket = require('node:net').connect('/proc/self/fd/' + directory + '/sock');
  socket.on('connect', () => { socket.write(request + '\\n'); process.stdout.write('handed over'); });
  socket.resume();
`;

export async function handOverAndWait(
  control: string,
  command: { n: number; script: string; timeLimitSeconds: number },
): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['-e', PROGRAM, control, JSON.stringify({ op: 'submit', ...command })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve, reject) => {
    child.stdout.once('data', resolve);
    child.once('exit', () => reject(new Error('the client ended before it had handed the command over')));
  });
  return child;
}
