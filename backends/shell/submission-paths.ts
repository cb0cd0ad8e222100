/** Why a path cannot name a submission's file, or null. */
export function badPath(path: string): string | null {
  const parts = path.split('/');
  if (path === '' || path.includes('\0')) return 'an empty path, or one with NUL, names no file';
  if (path.startsWith('/') || parts.some((part) => part === '' || part === '.' || part === '..'))
    return `${path} is not a path inside the workspace`;
  return null;
}
