import type { ConfigProblem } from './views/catalog.js';

/** `<file>:<line>: <key>: <message>` */
export const problemLine = ({ file, line, key, message }: ConfigProblem): string =>
  `${file}${line === null ? '' : `:${line}`}: ${key === '' ? '' : `${key}: `}${message}`;
