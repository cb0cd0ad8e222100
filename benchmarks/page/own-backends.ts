import { execa } from 'execa';
import type { Database } from '../../db/index.js';

/** PostgreSQL's processes for a process's connections, by the ports of its sockets. */
export async function ownBackends(db: Database, pid: number): Promise<number[]> {
  const { rows } = await db.pool.query<{ pid: number; port: number }>(
    `select pid, client_port as port from pg_stat_activity where client_port > 0`,
  );
  const { stdout } = await execa('sh', [
    '-c',
    `ls -l /proc/${pid}/fd | grep -o 'socket:.[0-9]*' | grep -o '[0-9]*'; echo; cat /proc/net/tcp /proc/net/tcp6`,
  ]);
  const [inodes = '', ...table] = stdout.split('\n\n');
  const own = new Set(inodes.split('\n'));
  const ports = new Set(
    table
      .join('\n')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => own.has(fields[9] ?? ''))
      .map((fields) => Number.parseInt(fields[1]!.split(':')[1]!, 16)),
  );
  return rows.filter(({ port }) => ports.has(port)).map(({ pid: backend }) => backend);
}

export async function lastAsked(db: Database, pids: readonly number[]): Promise<Map<number, string>> {
  const { rows } = await db.pool.query<{ pid: number; at: string }>(
    `select pid, query_start::text as at from pg_stat_activity where pid = any ($1)`,
    [pids],
  );
  return new Map(rows.map(({ pid, at }) => [pid, at]));
}
