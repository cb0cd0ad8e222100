import { reveal } from './hidden-characters.js';

/** Names hidden characters, for titles and control names, which cannot contain boxes. */
export const plainText = (value: string): string =>
  reveal(value.replaceAll('\n', ' '))
    .pieces.map((piece) => ('text' in piece ? piece.text : `[${piece.label}]`))
    .join('');
