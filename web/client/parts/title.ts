import { useEffect } from 'react';
import { plainText } from './text.js';

/** Of the tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${plainText(title)} · bench`;
  }, [title]);
}
