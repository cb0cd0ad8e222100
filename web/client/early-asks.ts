// A small script, which runs before the page's large ones have loaded.
import { addressOf, PATHS } from './data/ask.js';
import { askEarly } from './data/early-answers.js';
import { FIRST_SKELETON, firstViewOfNow, windowOf } from './data/first-views.js';
import { takeToken, token } from './data/token.js';

takeToken();
const bearer = token();
const headers: Record<string, string> = bearer === null ? {} : { authorization: `Bearer ${bearer}` };
const ask = (path: keyof typeof PATHS, params: object, query: object): void =>
  askEarly(addressOf(PATHS[path], params, query), headers);
const { pathname, search } = location;
const run = /^\/runs\/([^/]+)$/.exec(pathname)?.[1];
if (pathname === '/') for (const [path, query] of firstViewOfNow) ask(path, {}, query);
else if (run !== undefined) {
  const id = decodeURIComponent(run);
  const asked = new URLSearchParams(search);
  ask('run', { id }, {});
  ask('skeleton', { id }, FIRST_SKELETON);
  const step = Number(asked.get('step') ?? 1);
  if ((asked.get('tab') ?? 'steps') === 'steps' && Number.isInteger(step) && step > 0)
    ask('steps', { id }, windowOf(step));
} else if (pathname === '/compare')
  for (const id of new URLSearchParams(search).getAll('runs').slice(0, 2)) {
    ask('run', { id }, {});
    ask('skeleton', { id }, FIRST_SKELETON);
  }
