import { spawn, type ChildProcess } from 'node:child_process';
import type { ExecRequest } from '../../backends/shell/exec-request.js';

/** A worker process that starts a command and waits for it, to be killed meanwhile. */
const PROGRAM = `
  const [control, request] = process.argv.slice(1);
  const fs = require('node:fs');
  const directory = fs.openSync(control, fs.constants.O_DIRECTORY);
  const socket = require('node:net').connect('/proc/self/fd/' + directory + '/sock');
  socket.on('connect', () => { socket.write(request + '\\n'); process.stdout.write('handed over'); });
  socket.resume();
`;

/** The same through an engine at tcp://host:port. */
const BY_EXEC = `
  const [url, container, request] = process.argv.slice(1);
  const { hostname, port } = new URL(url.replace('tcp:', 'http:'));
  const docker = new (require('dockerode'))({ protocol: 'http', host: hostname, port });
  const Cmd = ['/opt/bench/python3', '-IS', '/opt/bench/durable_shell/control_client.py'];
  docker.getContainer(container)
    .exec({ Cmd, User: '0:0', AttachStdin: true, AttachStdout: true, AttachStderr: true })
    .then((exec) => exec.start({ hijack: true, stdin: true }))
    .then((stream) => {
      stream.write(request + '\\n', () => process.stdout.write('handed over'));
      stream.resume();
    });
`;

/** A command, or another request with its `op`. */
export type Command = { n: number; script: string; timeLimitSeconds: number } | ExecRequest;

export const handOverAndWait = (control: string, command: Command): Promise<ChildProcess> =>
  client(PROGRAM, [control], command);

export const handOverByExec = (url: string, container: string, command: Command): Promise<ChildProcess> =>
  client(BY_EXEC, [url, container], command);

async function client(program: string, args: string[], command: Command): Promise<ChildProcess> {
  const request = JSON.stringify({ op: 'submit', ...command });
  const child = spawn(process.execPath, ['-e', program, ...args, request], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: import.meta.dirname,
  });
  await new Promise((resolve, reject) => {
    child.stdout.once('data', resolve);
    child.once('exit', () => reject(new Error('the client ended before it had handed the command over')));
  });
  return child;
}
