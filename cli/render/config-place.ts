import type { ConfigPlace } from '../../domain/views/catalog.js';

export const PLACES =
  '`from` is `home` for files of $BENCH_HOME/configs, which replace others of their name, and `bundled` for those that come with bench.';

/** `home, over bundled`: the user's file replaces a bundled one. */
export const placeText = ({ origin, replaces }: ConfigPlace): string =>
  origin === null ? '' : replaces === null ? origin : `${origin}, replaces another`;
