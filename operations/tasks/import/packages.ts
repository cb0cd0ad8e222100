import { readRequirements } from '../../../domain/task/requirements.js';

/** Modules whose package has another name. */
const DISTRIBUTIONS: Readonly<Record<string, string>> = {
  PIL: 'pillow',
  cv2: 'opencv-python',
  dateutil: 'python-dateutil',
  skimage: 'scikit-image',
  sklearn: 'scikit-learn',
  yaml: 'pyyaml',
};

const canonical = (name: string): string => name.toLowerCase().replace(/[-_.]+/g, '-');

/** Modules that no line of the requirements file names. */
export function unpinnedModules(modules: readonly string[], requirements: string): string[] {
  const pinned = new Set(
    readRequirements(requirements).requirements.map((one) =>
      canonical(one.kind === 'pinned' ? one.name : (one.path.split('/').at(-1) ?? '').split('-')[0]!),
    ),
  );
  return modules.filter((module) => !pinned.has(canonical(DISTRIBUTIONS[module] ?? module)));
}

/** Address space for a process that imports these. */
export function memoryFor(modules: readonly string[]): number {
  if (modules.length === 0) return 1024;
  return modules.every((module) => module === 'numpy') ? 2048 : 4096;
}

/** Modules with randomness of their own, which evaluations seed. */
export const seededModules = (modules: readonly string[]): string[] => {
  // These use numpy's random numbers.
  const throughNumpy = ['numpy', 'pandas', 'scipy', 'sklearn'].some((module) => modules.includes(module));
  return [...(throughNumpy ? ['numpy'] : []), ...(modules.includes('torch') ? ['torch'] : [])];
};
