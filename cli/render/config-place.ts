import type { ConfigPlace } from '../../domain/views/catalog.js';

/** For the help of lists. */
export const PLACES =
  '`from` is `home` for files of $BENCH_HOME/configs, which replace others of their name, and `bundled` for those that come with bench.';

/** `home, over bundled` says that a file of the user's stands in place of another. */
export const placeText = ({ origin, replaces }: ConfigPlace): string =>
  origin === null ? '' : replaces === null ? origin : `${origin}, replaces another`;
