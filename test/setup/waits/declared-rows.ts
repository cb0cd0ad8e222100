import { afterAll } from 'vitest';
import { whenPrepared } from '../beside-the-tests.js';
import { watchAnswers } from '../rows/watched-answers.js';

await whenPrepared('declared-rows');
afterAll(watchAnswers());
