import { SingleBar } from 'cli-progress';
import type { CliOutput } from '../context.js';
import { oneLine } from './format.js';
import { control } from '../terminal-text.js';
import type { DirectoryResult, Remark } from '../../domain/views/imports.js';

const LINE_EVERY_MS = 5000;

const remarkLine = ({ source, file, key, level, kind, message }: Remark): string => {
  const where = [file === source ? null : file, key].filter((part) => part !== null && part !== '').join(': ');
  return `${level === 'error' ? 'skipped: ' : ''}${source}${where === '' ? '' : `: ${where}`}: ${kind}: ${oneLine(message, 400)}`;
};

export interface ImportProgress {
  done(result: DirectoryResult, number: number): void;
  stop(): void;
}

/** Progress in `unit` on stderr: a bar on a terminal, else occasional lines. Remarks are lines. */
export function importProgress(
  output: CliOutput,
  total: number,
  unit: 'directories' | 'files' | 'MB' = 'directories',
): ImportProgress {
  const bar = output.logInteractive
    ? new SingleBar({
        format: `importing {bar} {value} of {total} ${unit}, {steps} steps, {eta_formatted} left`,
        stream: process.stderr,
        clearOnComplete: true,
        hideCursor: true,
      })
    : null;
  let steps = 0;
  let printedAt = Date.now();
  bar?.start(total, 0, { steps });
  return {
    done(result, number) {
      steps += result.steps;
      if (bar !== null && result.remarks.length > 0) output.drawLog(control('G') + control('K'));
      for (const remark of result.remarks)
        output.log(
          remark.level === 'error'
            ? output.logColors.red(remarkLine(remark))
            : output.logColors.dim(remarkLine(remark)),
        );
      bar?.update(number, { steps });
      if (bar === null && (Date.now() - printedAt >= LINE_EVERY_MS || number === total)) {
        printedAt = Date.now();
        output.log(`${number} of ${total} ${unit}, ${steps} steps`);
      }
    },
    stop: () => bar?.stop(),
  };
}
