import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { type AddressInfo, createServer as listen } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';

const MODULE = 'github.com/versity/versitygw/cmd/versitygw@v1.8.0';
const BUILT = join(homedir(), 'go', 'bin', 'versitygw');
export const ACCESS_KEY = 'testkey';
export const SECRET_KEY = 'testsecret';

/** The S3 server's program; built by Go if `BENCH_TEST_SERVERS=1`, minutes of CPU. Null: not here. */
export async function findVersitygw(): Promise<string | null> {
  if (existsSync(BUILT)) return BUILT;
  if (process.env['BENCH_TEST_SERVERS'] !== '1') return null;
  await execa('go', ['install', MODULE], { stderr: 'inherit' });
  return BUILT;
}

const freePort = (): Promise<number> =>
  new Promise((settle) => {
    const server = listen().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => settle(port));
    });
  });

/** A versitygw over a folder: to be killed and started again at will. */
export class S3Server {
  #child: ChildProcess | undefined;
  private constructor(
    private readonly program: string,
    private readonly dir: string,
    readonly port: number,
    readonly ip: string,
  ) {}

  static async start(program: string, dir: string, ip = '127.0.0.1'): Promise<S3Server> {
    for (const part of ['data', 'iam']) mkdirSync(join(dir, part), { recursive: true });
    const server = new S3Server(program, dir, await freePort(), ip);
    await server.go();
    return server;
  }

  get endpoint(): string {
    return `http://${this.ip}:${this.port}`;
  }
  /** Buckets are folders of it, objects files. */
  get data(): string {
    return join(this.dir, 'data');
  }

  async go(): Promise<void> {
    const args = [
      '--port',
      `${this.ip}:${this.port}`,
      '--quiet',
      '--health',
      '/health',
      '--iam-dir',
      join(this.dir, 'iam'),
    ];
    this.#child = spawn(this.program, [...args, 'posix', this.data], {
      env: { ...process.env, ROOT_ACCESS_KEY: ACCESS_KEY, ROOT_SECRET_KEY: SECRET_KEY },
      stdio: 'ignore',
    });
    while (
      !(await fetch(`${this.endpoint}/health`)
        .then(({ ok }) => ok)
        .catch(() => false))
    )
      await new Promise((settle) => setTimeout(settle, 20));
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null) return;
    const gone = new Promise((settle) => child.once('exit', settle));
    child.kill('SIGKILL');
    await gone;
  }
}

/** Passes requests on, or answers them itself with a status: for a store that is there and does not work. */
export class FaultyS3 {
  /** For so many requests to come. */
  faults: { status: number; code: string; left: number } = { status: 503, code: 'SlowDown', left: 0 };
  answered = 0;
  private constructor(
    private readonly server: Server,
    private readonly ip: string,
  ) {}

  static async before(target: S3Server): Promise<FaultyS3> {
    const server = createServer((asked, answer) => {
      if (proxy.faults.left > 0) {
        proxy.faults.left -= 1;
        proxy.answered += 1;
        asked.resume();
        answer.writeHead(proxy.faults.status, { 'content-type': 'application/xml' });
        answer.end(`<Error><Code>${proxy.faults.code}</Code><Message>refused</Message></Error>`);
        return;
      }
      const { method, url: path, headers } = asked;
      const onward = request({ host: target.ip, port: target.port, method, path, headers }, (got) => {
        answer.writeHead(got.statusCode ?? 500, got.headers);
        got.pipe(answer);
      });
      onward.on('error', () => answer.destroy());
      asked.pipe(onward);
    });
    const proxy = new FaultyS3(server, target.ip);
    await new Promise<void>((settle) => server.listen(0, target.ip, settle));
    return proxy;
  }

  get endpoint(): string {
    return `http://${this.ip}:${(this.server.address() as AddressInfo).port}`;
  }
  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}
