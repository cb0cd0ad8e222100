import { plural } from '../../domain/text/format.js';
import { problemLine } from '../../domain/errors.js';
import type { Colors } from 'picocolors/types.js';
import type { ValidatedFile } from '../../domain/views/catalog.js';
import type { Notice } from '../../operations/notices.js';
import { oneLine } from './format.js';
import { remedyText } from './remedy.js';

const LOCAL =
  'The agents run as plain processes on this machine (local backend): no isolation; such rows are marked and ranked only on request.';

export function renderNotice(notice: Notice, { dim, yellow }: Colors): string[] {
  switch (notice.code) {
    case 'progress':
      return [dim(notice.line)];
    case 'backend.local':
      return [yellow(LOCAL)];
    case 'backend.no_engine':
      return [
        yellow(`No containers: ${notice.reason}.`),
        ...(notice.remedy === undefined ? [] : [dim(`To enable them: ${remedyText(notice.remedy, notice.fields)}`)]),
      ];
    case 'task.left_out':
      return [yellow(`Skipped: ${notice.task}: ${notice.reason}. ${remedyText(notice.remedy, notice.fields)}`)];
    case 'config.broken':
      return [yellow(brokenText(notice.file))];
    case 'model.keys_missing':
      return [
        yellow(
          notice.where === 'workers'
            ? `${notice.message} here; external workers must have ${notice.variables === 1 ? 'it' : 'them'}.`
            : `${notice.message}: a submission would fail.`,
        ),
      ];
    case 'model.untested':
      return [dim(`not tested, ${notice.variable} is not set: ${notice.models.join(', ')}`)];
    case 'referees.unread':
      return [
        yellow('The referees of tasks were not read: there is no Python 3.9 or newer. `bench doctor` says more.'),
      ];
    case 'hosts.unknown':
      return [dim('Hosts and GPUs were not checked: the services are not running.')];
    case 'batch.started':
      return [`Batch ${notice.batchId}: ${plural(notice.runs, 'run')} on the ${notice.backend} backend`];
  }
}

function brokenText({ kind, problems }: ValidatedFile): string {
  const [first] = problems;
  const what = first === undefined ? '' : oneLine(problemLine(first), 300);
  const more = problems.length > 1 ? ` (and ${plural(problems.length - 1, 'more problem')})` : '';
  return `Disabled ${kind}: ${what}${more}. Correct it; \`bench validate-config\` checks it.`;
}
