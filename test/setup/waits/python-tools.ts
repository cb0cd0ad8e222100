import { whenPrepared } from '../beside-the-tests.js';

// What `npm run check:python` says itself.
await whenPrepared('python-tools').catch(() => undefined);
