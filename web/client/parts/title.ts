import { useEffect } from 'react';
import { plainText } from './text.js';

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${plainText(title)} · bench`;
  }, [title]);
}
