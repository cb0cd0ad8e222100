import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { type AddressInfo, createServer as listen } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { S3Client } from '@aws-sdk/client-s3';
import { execa } from 'execa';

const BUILT = join(homedir(), 'go', 'bin');

export const ACCESS_KEY = 'testkey';
export const SECRET_KEY = 'testsecret';

/** An S3 server that Go builds. */
interface S3Program {
  name: string;
  module: string;
  args: (at: { address: string; dir: string }) => string[];
  env: Readonly<Record<string, string>>;
  health: string;
}

export const VERSITYGW: S3Program = {
  name: 'versitygw',
  module: 'github.com/versity/versitygw/cmd/versitygw@v1.8.0',
  args: ({ address, dir }) => [
    ...['--port', address, '--quiet', '--health', '/health', '--iam-dir', join(dir, 'iam')],
    ...['posix', join(dir, 'data')],
  ],
  env: { ROOT_ACCESS_KEY: ACCESS_KEY, ROOT_SECRET_KEY: SECRET_KEY },
  health: '/health',
};

/** Has other errors and rules for keys. Its releases are not Go modules. */
export const MINIO: S3Program = {
  name: 'minio',
  module: 'github.com/minio/minio@v0.0.0-20260212201848-7aac2a2c5b7c',
  args: ({ address, dir }) => ['server', '--quiet', '--address', address, join(dir, 'data')],
  env: { MINIO_ROOT_USER: ACCESS_KEY, MINIO_ROOT_PASSWORD: SECRET_KEY, MINIO_BROWSER: 'off', MINIO_UPDATE: 'off' },
  health: '/minio/health/live',
};

/** Built by Go if `BENCH_TEST_SERVERS=1`, in minutes. False: not available. */
export async function isBuilt({ name, module }: S3Program): Promise<boolean> {
  if (existsSync(join(BUILT, name))) return true;
  if (process.env['BENCH_TEST_SERVERS'] !== '1') return false;
  await execa('go', ['install', module], { stderr: 'inherit' });
  return true;
}

const freePort = (): Promise<number> =>
  new Promise((settle) => {
    const server = listen().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => settle(port));
    });
  });

/** A server over a folder, to kill and restart at will. */
export class S3Server {
  #child: ChildProcess | undefined;
  private constructor(
    private readonly program: S3Program,
    private readonly dir: string,
    readonly port: number,
    readonly ip: string,
  ) {}

  static async start(program: S3Program, dir: string, ip = '127.0.0.1'): Promise<S3Server> {
    for (const part of ['data', 'iam']) mkdirSync(join(dir, part), { recursive: true });
    const server = new S3Server(program, dir, await freePort(), ip);
    await server.go();
    return server;
  }

  get endpoint(): string {
    return `http://${this.ip}:${this.port}`;
  }
  /** Of versitygw: buckets are folders, objects files. */
  get data(): string {
    return join(this.dir, 'data');
  }

  /** Access without bench. */
  async client(): Promise<S3Client> {
    const { S3Client } = await import('@aws-sdk/client-s3');
    return new S3Client({
      ...{ endpoint: this.endpoint, region: 'us-east-1', forcePathStyle: true },
      credentials: { accessKeyId: ACCESS_KEY, secretAccessKey: SECRET_KEY },
    });
  }

  async createBucket(name: string): Promise<void> {
    const { CreateBucketCommand } = await import('@aws-sdk/client-s3');
    const client = await this.client();
    await client.send(new CreateBucketCommand({ Bucket: name }));
    client.destroy();
  }

  async go(): Promise<void> {
    const { name, args, env, health } = this.program;
    const child = spawn(join(BUILT, name), args({ address: `${this.ip}:${this.port}`, dir: this.dir }), {
      env: { ...process.env, ...env },
      stdio: 'ignore',
    });
    this.#child = child;
    while (
      !(await fetch(`${this.endpoint}${health}`)
        .then(({ ok }) => ok)
        .catch(() => false))
    ) {
      if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}`);
      await new Promise((settle) => setTimeout(settle, 20));
    }
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null) return;
    const gone = new Promise((settle) => child.once('exit', settle));
    child.kill('SIGKILL');
    await gone;
  }
}

/** Passes requests on, or answers with a status, like a store that is up but fails. */
export class FaultyS3 {
  /** Number of requests to come. */
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
