import type { Command } from 'commander';
import { type LabelRequest, labelRequestSchema } from '../../domain/requests/deletion.js';
import type { LabelsDocument } from '../../domain/views/deletion.js';
import type { CliContext } from '../context.js';
import { renderFields } from '../render/table.js';
import { requestFields, requestOptions } from '../schema-flags.js';

/** `label` of a batch or a run. */
export function registerLabel(
  group: Command,
  { output }: CliContext,
  what: 'batch' | 'run',
  label: (ref: string, request: LabelRequest) => Promise<LabelsDocument>,
): void {
  const { shape } = labelRequestSchema;
  const command = group
    .command('label')
    .summary(`note something about a ${what}, or tag it`)
    .description(
      `Show and change the note and the tags of a ${what}. Lists take --tag; the search fields of the page find both.`,
    )
    .argument(`<${what}>`, 'id, name, or an unambiguous part of the id')
    .action(async (ref: string, options: Record<string, unknown>) => {
      const found = await label(ref, requestFields(shape, options));
      output.json(found satisfies LabelsDocument);
      output.print(
        renderFields(
          [
            [what, found.id],
            ['note', found.note ?? '–'],
            ['tags', found.tags.join(', ') || '–'],
          ],
          output.colors,
        ),
      );
    });
  for (const option of requestOptions(shape)) command.addOption(option);
}
