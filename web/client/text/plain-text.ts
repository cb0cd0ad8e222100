import { reveal } from './hidden-characters.js';

/** A text with what is hidden in it named, for titles and names of controls, where no box can stand. */
export const plainText = (value: string): string =>
  reveal(value.replaceAll('\n', ' '))
    .pieces.map((piece) => ('text' in piece ? piece.text : `[${piece.label}]`))
    .join('');
