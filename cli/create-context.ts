import type { LongWork } from '../operations/bench.js';
import { openBench } from '../operations/open-bench.js';
import type { BenchSettings } from '../operations/settings.js';
import type { CliContext, CliOutput } from './context.js';
import { interruptible } from './interruptible.js';
import { renderNotice } from './render/notice.js';

const LEFT: Record<LongWork, string> = {
  'image-build': 'The build was cancelled.',
  'batch-images': 'The build was cancelled; nothing was submitted.',
};

export interface ClosableContext extends CliContext {
  readonly exitCode: number;
}

/** Adds a terminal: notices become lines on stderr, Ctrl-C ends long work. */
export function createContext(settings: BenchSettings, output: CliOutput): ClosableContext {
  let exitCode = 0;
  const interrupts: AbortController[] = [];
  const interrupt = (): void => interrupts.forEach((controller) => controller.abort());
  const bench = openBench(settings, {
    notify: (notice) => {
      for (const line of renderNotice(notice, output.logColors)) output.log(line);
    },
    abortable: (what, work) => interruptible(LEFT[what], work),
  });
  return {
    ...bench,
    output,
    setExitCode(code) {
      exitCode = code;
    },
    onInterrupt() {
      const controller = new AbortController();
      if (interrupts.push(controller) === 1) process.once('SIGINT', interrupt);
      return controller.signal;
    },
    async close() {
      process.off('SIGINT', interrupt);
      await bench.close();
    },
    get exitCode() {
      return exitCode;
    },
  };
}
