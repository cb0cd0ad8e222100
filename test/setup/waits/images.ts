import { whenPrepared } from '../beside-the-tests.js';

await whenPrepared('images');
