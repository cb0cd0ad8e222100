import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { BenchError } from '../domain/errors.js';
import { servicePaths } from './home-paths.js';

export const isDown = (home: string): boolean => existsSync(servicePaths(home).down);

/** A home that never ran needs no mark. */
export function markDown(home: string): void {
  const { own, down } = servicePaths(home);
  if (existsSync(own)) writeFileSync(down, '', { mode: 0o600 });
}

export const unmarkDown = (home: string): void => rmSync(servicePaths(home).down, { force: true });

/** A read-only command does not undo an explicit `bench down`. */
export class ServicesDown extends BenchError {
  constructor(home: string) {
    super('services', `the services of ${home} are down`, {
      code: 'services.down',
      remedy: 'Start them with `bench up`.',
    });
  }
}
