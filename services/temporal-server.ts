import { SEARCH_ATTRIBUTES } from '../domain/home/search-attributes.js';
/**
 * The development server reads its task queues at most 20 times a second and shard, and has one shard: 50 ms wait for
 * each activity and each workflow task. Its polls follow notifications, so a higher limit costs nothing at rest.
 */
const DYNAMIC_CONFIG = ['history.transferProcessorMaxPollRPS=1000', 'history.timerProcessorMaxPollRPS=1000'];

/**
 * Write-ahead log and `synchronous=normal`: nothing is lost when the process dies; when the machine loses power the
 * store stays whole, and the last instants may be done again, which runs are made for.
 */
const SQLITE_PRAGMAS = ['journal_mode=wal', 'synchronous=normal'];

export function temporalArguments(options: { databaseFile: string; port: number; namespace: string }): string[] {
  return [
    ...['server', 'start-dev', '--headless', '--ip', '127.0.0.1', '--port', String(options.port)],
    ...['--db-filename', options.databaseFile, '--log-level', 'warn', '--log-format', 'json', '--color', 'never'],
    // Not to its log: it would exit if a full disk did not take its greeting.
    ...['--output', 'none'],
    // Ignore personal settings, which could redirect the server.
    ...['--disable-config-file', '--disable-config-env'],
    ...(options.namespace === 'default' ? [] : ['--namespace', options.namespace]),
    ...SEARCH_ATTRIBUTES.flatMap((name) => ['--search-attribute', `${name}=Keyword`]),
    ...SQLITE_PRAGMAS.flatMap((pragma) => ['--sqlite-pragma', pragma]),
    ...DYNAMIC_CONFIG.flatMap((entry) => ['--dynamic-config-value', entry]),
  ];
}
