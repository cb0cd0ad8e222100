import { whenPrepared } from '../beside-the-tests.js';

// `npm run check:python` reports the failure itself.
await whenPrepared('python-tools').catch(() => undefined);
