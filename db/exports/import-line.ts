import type { LinePart, LineSource, LineImport } from '../../domain/ports/exports.js';
import type pg from 'pg';
import { BenchError } from '../../domain/errors.js';
import { errorFields, queryError } from '../database-error.js';
import { LINE_LISTS } from '../../domain/exchange/line-lists.js';
import { HEAD, LINE_VERSION, LISTS } from './run-line.js';

/** Tables whose rows runs share, in order of reference. */
const SHARED = [
  ['batches', 'batch'],
  ['task_versions', 'task'],
  ['baselines', 'baseline'],
  ['agent_configs', 'agent'],
  ['model_configs', 'model'],
  ['recordings', 'recording'],
] as const;

/** Parts are sent together up to this size. */
const CHARACTERS = 1_000_000;

const refuse = (problem: string, remedy?: string): never => {
  throw new BenchError('usage', problem, { code: 'import.unreadable', remedy });
};

export async function startLine(pool: pg.Pool): Promise<LineImport> {
  const client = await pool.connect();
  let open = true;
  let place = 0;
  let parts: (LinePart & { place: number })[] = [];
  let characters = 0;
  const close = async (ending: 'commit' | 'rollback'): Promise<void> => {
    if (!open) return;
    if (ending === 'commit') await client.query('commit');
    else await client.query('rollback').catch(() => undefined);
    open = false;
    client.release();
  };
  const undoing = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      await close('rollback');
      throw translated(error);
    }
  };
  const flush = async (): Promise<void> => {
    const [first] = parts;
    if (first === undefined) return;
    const sent = parts;
    parts = [];
    characters = 0;
    // Send a long part alone: an array would copy it again.
    if (sent.length === 1)
      await client.query('insert into line_part values ($1, $2, $3, $4::jsonb)', [
        ...[first.place, first.key, first.listed, first.text],
      ]);
    else
      await client.query(
        `insert into line_part select p.place, p.key, p.listed, p.value::jsonb
         from unnest($1::int[], $2::text[], $3::bool[], $4::text[]) p (place, key, listed, value)`,
        [
          sent.map((one) => one.place),
          sent.map(({ key }) => key),
          sent.map(({ listed }) => listed),
          sent.map(({ text }) => text),
        ],
      );
  };
  await undoing(async () => {
    await client.query('begin');
    await client.query(
      'create temporary table line_part (place int, key text not null, listed boolean not null, value jsonb not null) on commit drop',
    );
  });
  return {
    add: (part) =>
      undoing(async () => {
        if (characters + part.text.length > CHARACTERS) await flush();
        parts.push({ ...part, place: place++ });
        characters += part.text.length;
      }),
    finish: (contentHash, source) =>
      undoing(async () => {
        await flush();
        const stored = await store(client, contentHash, source);
        await close(stored.kind === 'imported' ? 'commit' : 'rollback');
        return stored;
      }),
    abandon: () => close('rollback'),
  };
}

/** Without origin and integrity flags, which this database sets. */
const compared = (head: string): string =>
  `((${head}) - 'batch' - 'baseline' - 'import' - 'signature' #- '{run,integrity_version}' #- '{run,origin}')`;

const entriesOf = (key: string): string => `line_part p where p.listed and p.key = '${key}'`;

const differences = LINE_LISTS.map((key) => {
  const { table, row, order } = LISTS[key];
  return `exists (
    select from (select row_number() over (order by p.place) as n, p.value from ${entriesOf(key)}) theirs
    full join (
      select row_number() over (order by ${order}) as n, ${row} as value from ${table} t where t.run_id = $1
    ) ours using (n)
    where theirs.value is distinct from ours.value
  )`;
}).join(' or ');

async function store(
  client: pg.PoolClient,
  contentHash: string,
  source: LineSource,
): Promise<{ kind: 'imported' | 'existing' | 'changed'; runId: string; steps: number }> {
  await client.query(
    `create temporary table line on commit drop as
     select coalesce(jsonb_object_agg(p.key, p.value), '{}') as l from line_part p where not p.listed`,
  );
  const { rows } = await client.query<{
    format: string | null;
    version: string | null;
    run_id: string | null;
    status: string | null;
    known: boolean;
    same: boolean;
    steps: number;
  }>(
    `select l ->> 'format' as format, l ->> 'version' as version, l #>> '{run,run_id}' as run_id, l #>> '{run,status}' as status,
       r.run_id is not null as known, coalesce((select ${compared(HEAD)} = ${compared('l')}), false) as same,
       (select count(*)::int from ${entriesOf('steps')}) as steps
     from line left join runs r on r.run_id = l #>> '{run,run_id}'`,
  );
  const [found] = rows;
  if (found?.format !== 'bench-run' || found.version !== String(LINE_VERSION) || found.run_id === null)
    return refuse('the line does not have the form that `bench export` writes');
  const { run_id: runId, steps } = found;
  if (found.known) {
    const { rows: compared } = await client.query<{ differ: boolean }>(`select ${differences} as differ`, [runId]);
    return { kind: found.same && compared[0]?.differ === false ? 'existing' : 'changed', runId, steps: 0 };
  }
  if (found.status !== 'ended')
    return refuse(`run ${runId} had not ended when it was exported`, 'Export its batch again when it has ended.');
  await refuseForgery(client, source);
  if (!source.own)
    await client.query(
      // A baseline affects all ranks: a known task version keeps its own, or none.
      `update line set l = jsonb_set(jsonb_set(
         l #- case when exists (select from task_versions v where v.content_hash = l #>> '{task,content_hash}') then '{baseline}'::text[] else '{}' end,
         '{run,origin}', '"import"'), '{batch,origin}', '"import"')`,
    );
  // Here the batch is over, and its hosts are not ours.
  await client.query(
    `update line set l = jsonb_set(l, '{batch,status}', '"ended"') where l #>> '{batch,status}' in ('queued', 'running')`,
  );
  await client.query(
    `insert into hosts (host_id, removed_at) select l #>> '{run,host_id}', now() from line where l #>> '{run,host_id}' is not null on conflict do nothing`,
  );
  // The rules run when the run is stored, so the line has no flags.
  await client.query(`update line set l = l #- '{run,integrity_version}'`);
  const columns = await columnsOfLine(client);
  /** `source`: the text after `from`; `value`: its column with the row as JSON. */
  const insert = async (table: string, source: string, value: string, rest = ''): Promise<void> => {
    const list = columns.get(table);
    if (list === undefined) return;
    await client.query(
      `insert into ${table} (${list.join(', ')}) select ${list.map((column) => `s.${column}`).join(', ')}
       from ${source}, jsonb_populate_record(null::${table}, ${value}) s ${rest}`,
    );
  };
  for (const [table, key] of SHARED)
    await insert(table, 'line', `l -> '${key}'`, `on conflict ${table === 'batches' ? '(batch_id)' : ''} do nothing`);
  await insert('runs', 'line', `l -> 'run'`);
  for (const key of LINE_LISTS)
    await insert(LISTS[key].table, `(select p.value from ${entriesOf(key)} order by p.place) e`, 'e.value');
  await client.query(
    `update line set l = jsonb_set(l, '{import,signed_by}', coalesce(to_jsonb($1::text), 'null')) where jsonb_typeof(l -> 'import') = 'object'`,
    [source.signedBy],
  );
  await insert('imports', 'line', `l -> 'import'`);
  await client.query(
    `insert into imports (run_id, batch_id, format, source, content_hash, signed_by)
     select l #>> '{run,run_id}', l #>> '{run,batch_id}', 'jsonl', l #>> '{run,run_id}', $1, $2 from line
     where jsonb_typeof(l -> 'import') is distinct from 'object'`,
    [contentHash, source.signedBy],
  );
  return { kind: 'imported', runId, steps };
}

/** Even in a signed line, all rows must belong to one run. */
async function refuseForgery(client: pg.PoolClient, { own, contracts }: LineSource): Promise<void> {
  const { rows } = await client.query<{
    ownRows: boolean;
    batch: string;
    batchOrigin: string | null;
    replaces: string | null;
    replaced: string | null;
    task: string;
    contract: number;
    newest: number | null;
    otherProfiles: boolean;
  }>(
    `select
       l #>> '{run,batch_id}' = l #>> '{batch,batch_id}' and l #>> '{run,task_hash}' = l #>> '{task,content_hash}'
         and l #>> '{run,task_id}' = l #>> '{task,task_id}' and l #>> '{run,contract}' = l #>> '{task,contract}'
         and coalesce(l #>> '{baseline,content_hash}' = l #>> '{task,content_hash}', true)
         and coalesce(l #>> '{import,run_id}' = l #>> '{run,run_id}' and l #>> '{import,batch_id}' = l #>> '{run,batch_id}', true)
         and not exists (
           select from line_part p
           where p.listed and (
             p.value ->> 'run_id' is distinct from l #>> '{run,run_id}'
             or p.key = 'events' and p.value ->> 'batch_id' is distinct from l #>> '{run,batch_id}'
             or p.key = 'memories' and p.value ->> 'task_id' is distinct from l #>> '{run,task_id}'
           )
         ) as "ownRows",
       l #>> '{run,batch_id}' as batch,
       (select b.origin from batches b where b.batch_id = l #>> '{run,batch_id}') as "batchOrigin",
       l #>> '{run,replaces}' as replaces,
       (select r.origin from runs r where r.run_id = l #>> '{run,replaces}') as replaced,
       l #>> '{run,task_id}' as task, (l #>> '{run,contract}')::int as contract,
       (select max(v.contract) from task_versions v
        where v.task_id = l #>> '{run,task_id}' and exists (
          select from runs r where r.task_id = v.task_id and r.task_hash = v.content_hash and r.origin <> 'import'
        )) as newest,
       -- See versions_under(): it would hide the versions that have no profile of that name.
       exists (
         select from task_versions v, lateral (
           select l #>> '{task,spec,profile}' as name
           union all select jsonb_object_keys(l #> '{task,spec,profiles}') where jsonb_typeof(l #> '{task,spec,profiles}') = 'object'
         ) n
         where v.task_id = l #>> '{run,task_id}' and v.contract = (l #>> '{run,contract}')::int and v.spec ->> 'profile' is null
           and exists (select from runs r where r.task_id = v.task_id and r.task_hash = v.content_hash and r.origin <> 'import')
           and not coalesce(v.spec -> 'profiles' ? n.name, false) and n.name is not null
       ) or coalesce(jsonb_typeof(l #> '{task,spec,profiles}') not in ('object', 'null'), false) as "otherProfiles"
     from line`,
  );
  const found = rows[0]!;
  if (!found.ownRows) refuse('its rows do not all belong to one run, its batch and its task');
  if (own) return;
  if (found.batchOrigin !== null && found.batchOrigin !== 'import')
    refuse(`batch ${found.batch} was played here, but the line is not signed by this home`);
  if (found.replaced !== null && found.replaced !== 'import')
    refuse(`it replaces run ${found.replaces}, which was played here`);
  const newest = Math.max(found.newest ?? -1, contracts[found.task] ?? -1);
  if (newest >= 0 && found.contract > newest)
    refuse(
      `contract ${found.contract} of task ${found.task} is unknown here: the newest is ${newest}`,
      'Import it with a version of bench, or of the task, that has this contract.',
    );
  if (found.otherProfiles) refuse(`at contract ${found.contract}, task ${found.task} has other profiles here`);
}

/** Columns of the line, by table; newer ones take their defaults. Omits tables without rows. */
async function columnsOfLine(client: pg.PoolClient): Promise<Map<string, string[]>> {
  const objects = [...SHARED, ['runs', 'run'], ['imports', 'import']].map(
    ([table, key]) => `('${table}', l -> '${key}')`,
  );
  const lists = LINE_LISTS.map(
    (key) => `('${LISTS[key].table}', (select p.value from ${entriesOf(key)} order by p.place limit 1))`,
  );
  const { rows } = await client.query<{ name: string; columns: string[] }>(
    `select k.name, array_agg(quote_ident(a.attname) order by a.attnum) as columns
     from line, lateral (values ${[...objects, ...lists].join(', ')}) k (name, value)
     join pg_attribute a on a.attrelid = k.name::regclass and a.attnum > 0 and not a.attisdropped
     where jsonb_typeof(k.value) = 'object' and k.value ? a.attname and not (k.name = 'events' and a.attname = 'event_id')
     group by k.name`,
  );
  return new Map(rows.map(({ name, columns }) => [name, columns]));
}

function translated(error: unknown): unknown {
  const { code, constraint, message } = errorFields(error);
  try {
    if (code === '22P02' || code === '22P05') refuse(`its JSON cannot be stored: ${message.slice(0, 200)}`);
    if (code === '54000') refuse(`too large to be stored: ${message.slice(0, 200)}`);
    if (constraint === 'task_versions_contract')
      refuse(message, 'Rename one of the tasks, or raise its contract where it was played.');
    if (constraint === 'batches_project_name_unique') refuse("another batch has its batch's name");
    if (constraint === 'runs_forked_from_runs_run_id_fk' || constraint === 'runs_replaces_runs_run_id_fk')
      refuse('the run continues another run that is missing here', "Import that run's batch first.");
    if (code !== undefined && /^23/.test(code)) refuse(`its rows do not fit here (${constraint ?? code})`);
  } catch (refusal) {
    return refusal;
  }
  return code === undefined ? error : queryError('importing a line', error);
}
