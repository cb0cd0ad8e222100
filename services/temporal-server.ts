import { SEARCH_ATTRIBUTES } from '../domain/home/search-attributes.js';
/**
 * By default, 20 reads a second of the one shard's queue delay each activity and workflow task by
 * 50 ms. Polls follow notifications, so a higher limit costs nothing at rest.
 */
const DYNAMIC_CONFIG = ['history.transferProcessorMaxPollRPS=1000', 'history.timerProcessorMaxPollRPS=1000'];

/** A crash loses nothing; a power cut may repeat the last instants, which runs tolerate. */
const SQLITE_PRAGMAS = ['journal_mode=wal', 'synchronous=normal'];

export function temporalArguments(options: { databaseFile: string; port: number; namespace: string }): string[] {
  return [
    ...['server', 'start-dev', '--headless', '--ip', '127.0.0.1', '--port', String(options.port)],
    ...['--db-filename', options.databaseFile, '--log-level', 'warn', '--log-format', 'json', '--color', 'never'],
    // Not to its log: on a full disk the server would exit at its greeting.
    ...['--output', 'none'],
    // Ignore personal settings, which could redirect the server.
    ...['--disable-config-file', '--disable-config-env'],
    ...(options.namespace === 'default' ? [] : ['--namespace', options.namespace]),
    ...SEARCH_ATTRIBUTES.flatMap((name) => ['--search-attribute', `${name}=Keyword`]),
    ...SQLITE_PRAGMAS.flatMap((pragma) => ['--sqlite-pragma', pragma]),
    ...DYNAMIC_CONFIG.flatMap((entry) => ['--dynamic-config-value', entry]),
  ];
}
