import { type NamedImage, namedImages } from '../../../domain/model/images.js';
import { formatBytes, formatCount, formatDuration } from '../../../domain/text/format.js';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { memo, useEffect, useMemo, useState } from 'react';
import type { Answer } from '../../api/index.js';
import type { TextChunk } from '../data/ask.js';
import { imageBytes, stepWindow, wholeText } from '../data/queries.js';
import { useOutput } from '../live/live.js';
import { Time } from '../parts/clock.js';
import { words } from '../parts/format.js';
import { pictureType } from '../parts/file-text.js';
import { Picture } from '../parts/picture.js';
import { Failure } from '../parts/states.js';
import { Text, TextBlock } from '../parts/text.js';
import { Badge, Duration, Money, Score } from '../parts/values.js';
import { isStatic } from '../static/form.js';
import type { TextKind } from '../text/render-text.js';

type Step = Answer<'steps'>['steps'][number];
type Clipped = Step['response'];

const LINES = { reading: 40, full: 400 } as const;

/** Shown at first, and added with each click. */
const PORTION = 256 * 1024;

const decoded = (chunks: readonly TextChunk[]): string => {
  const decoder = new TextDecoder();
  // A cut last character comes with the next chunk.
  return chunks.map(({ bytes: some }) => decoder.decode(some, { stream: true })).join('');
};

/** Head and tail of a step's text, and all of it on demand. */
function StepText({
  id,
  step,
  name,
  text,
  kind,
  lines,
  className,
}: {
  id: string;
  step: number;
  name: 'thought' | 'action' | 'observation';
  text: Clipped;
  kind: TextKind;
  lines: number;
  className: string;
}) {
  const [wanted, setWanted] = useState(0);
  const whole = wanted > 0;
  const all = useInfiniteQuery({ ...wholeText(id, step, name), enabled: whole });
  const chunks = all.data?.pages;
  const loaded = chunks?.reduce((sum, { bytes: some }) => sum + some.length, 0) ?? 0;
  const { hasNextPage, isFetching, fetchNextPage } = all;
  useEffect(() => {
    if (loaded > 0 && loaded < wanted && hasNextPage && !isFetching) void fetchNextPage();
  }, [loaded, wanted, hasNextPage, isFetching, fetchNextPage]);
  const ready = chunks !== undefined && (!hasNextPage || loaded >= PORTION);
  const source = useMemo(() => (ready ? decoded(chunks) : ''), [ready, chunks]);
  const label = `${name} of step ${step}`;
  if (whole && ready)
    return (
      <>
        <TextBlock source={source} kind={kind} lines={400} label={label} className={className} />
        {hasNextPage && (
          <p className="cut">
            {formatBytes(loaded)} of {formatBytes(chunks[0]!.total)} are here.{' '}
            <button type="button" className="plain" disabled={isFetching} onClick={() => setWanted(loaded + PORTION)}>
              {isFetching ? 'loading…' : `show ${formatBytes(PORTION)} more`}
            </button>
          </p>
        )}
      </>
    );
  return (
    <>
      <TextBlock
        source={text.head}
        kind={kind}
        lines={text.tail === '' ? lines : Math.ceil(lines / 2)}
        label={label}
        className={className}
      />
      {text.omitted > 0 && (
        <p className="cut">
          {formatCount(text.omitted)} characters of {formatBytes(text.bytes)} are omitted here.{' '}
          <button type="button" className="plain" disabled={whole && isFetching} onClick={() => setWanted(PORTION)}>
            {whole && isFetching ? 'loading…' : 'show all'}
          </button>
        </p>
      )}
      {all.error !== null && <Failure error={all.error} retry={() => void all.refetch()} />}
      {text.tail !== '' && (
        <TextBlock
          source={text.tail}
          kind={kind}
          lines={Math.ceil(lines / 2)}
          label={`end of the ${label}`}
          className={className}
        />
      )}
    </>
  );
}

interface BodyProps {
  id: string;
  step: number;
  density: 'reading' | 'full';
  thoughts: boolean;
  events: readonly { kind: string; at: string }[];
}

export const StepBody = memo(function StepBody({ id, step, density, thoughts, events }: BodyProps) {
  const asked = useQuery({
    ...stepWindow(id, step),
    select: ({ steps }) => steps.find((one) => one.step === step) ?? null,
  });
  if (asked.error !== null) return <Failure error={asked.error} retry={() => void asked.refetch()} />;
  if (asked.data === undefined) return <div className="step-ghost" role="status" aria-label={`loading step ${step}`} />;
  if (asked.data === null) return <p className="muted">This step is not stored.</p>;
  const one = asked.data;
  const lines = LINES[density];
  return (
    <div className="step-body">
      {events.map(({ kind, at }, i) => (
        <p key={i} className="event-line">
          <Badge tone="warn" mark="▲">
            {words(kind)}
          </Badge>{' '}
          <Time at={at} />
        </p>
      ))}
      {thoughts && one.thought.bytes > 0 && (
        <StepText id={id} step={step} name="thought" text={one.thought} kind="text" lines={lines} className="thought" />
      )}
      {one.action === null ? (
        one.thought.bytes === 0 && one.observation === null && <UnreadableReply of={one} lines={lines} />
      ) : (
        <StepText id={id} step={step} name="action" text={one.action} kind="text" lines={lines} className="action" />
      )}
      {(one.action !== null || one.observation !== null) && <Observation id={id} of={one} lines={lines} />}
      {one.evaluations.map((evaluation) => (
        <Evaluation key={`${evaluation.number} ${evaluation.split}`} of={evaluation} />
      ))}
      <StepFacts of={one} />
    </div>
  );
});

const UnreadableReply = ({ of: { step, response }, lines }: { of: Step; lines: number }) => (
  <>
    <p className="event-line">
      <Badge tone="bad" mark="✕">
        no command could be read from this reply
      </Badge>
    </p>
    <TextBlock source={response.head} kind="text" lines={lines} label={`reply of step ${step}`} className="thought" />
  </>
);

function Observation({ id, of: { step, observation, outputBytes }, lines }: { id: string; of: Step; lines: number }) {
  if (observation === null) return <Running id={id} step={step} />;
  const kept = observation.bytes;
  if (kept === 0) return <p className="facts">no output</p>;
  return (
    <>
      {isStatic && observation.head === '' ? (
        <p className="cut">Its output, {formatBytes(kept)}, is not part of this export.</p>
      ) : (
        <StepText
          id={id}
          step={step}
          name="observation"
          text={observation}
          kind="output"
          lines={lines}
          className="observation"
        />
      )}
      {!isStatic &&
        namedImages(`${observation.head}\n${observation.tail}`).map((image) => (
          <Looked key={image.mark} id={id} image={image} />
        ))}
      {outputBytes !== null && outputBytes > kept * 1.01 + 64 && (
        <p className="cut">
          The command printed {formatBytes(outputBytes)}; {formatBytes(kept)} were kept.
        </p>
      )}
    </>
  );
}

/** An image that the agent looked at; a text may name one that is not stored. */
function Looked({ id, image }: { id: string; image: NamedImage }) {
  const { data } = useQuery(imageBytes(id, image.id));
  const type = data === undefined ? null : pictureType(data);
  return data === undefined || type === null ? null : <Picture bytes={data} type={type} name={image.mark} />;
}

const StepFacts = ({ of: one }: { of: Step }) => (
  <dl className="step-facts">
    <Fact name="model">
      <Duration ms={one.modelMs} />
    </Fact>
    <Fact name="command">
      <Duration ms={one.commandMs} />
    </Fact>
    {one.exitCode !== null && <Fact name="exit">{one.exitCode}</Fact>}
    {/* An imported run's calls are known as their sum alone. */}
    {(one.modelMs !== null || one.inputTokens > 0) && (
      <>
        <Fact name="cost">
          <Money usd={one.costUsd} />
        </Fact>
        <Fact name="tokens">
          <span className="number">
            {formatCount(one.inputTokens)} in, {formatCount(one.outputTokens)} out
          </span>
        </Fact>
      </>
    )}
    {one.workingDir !== null && (
      <Fact name="in">
        <code>
          <Text value={one.workingDir} />
        </code>
      </Fact>
    )}
    <Fact name="at">
      <Time at={one.at} />
    </Fact>
  </dl>
);

const Fact = ({ name, children }: { name: string; children: React.ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

function Running({ id, step }: { id: string; step: number }) {
  const output = useOutput(id);
  if (output === undefined || output.step !== step)
    return (
      <p className="facts">
        <Badge tone="info" mark="●">
          the command runs
        </Badge>
      </p>
    );
  return (
    <>
      <p className="facts">
        <Badge tone="info" mark="●">
          the command runs
        </Badge>{' '}
        {output.workers > 1 && (
          <Badge tone="warn" mark="▲">
            re-attached: its worker died, the command did not
          </Badge>
        )}{' '}
        the end of its output:
      </p>
      <TextBlock
        source={output.tail}
        kind="output"
        lines={40}
        end
        label={`output of step ${step} so far`}
        className="observation"
      />
    </>
  );
}

function Evaluation({ of }: { of: Step['evaluations'][number] }) {
  const metrics = Object.entries(of.metrics ?? {});
  return (
    <div className={`evaluation ${of.status === 'ok' ? 'ok' : 'not-ok'}`}>
      <Badge tone={of.status === 'ok' ? 'good' : 'bad'} mark={of.status === 'ok' ? '◆' : '✕'}>
        {words(of.kind)} {of.number} · {of.split}
      </Badge>
      {of.status === 'ok' ? (
        metrics.map(([name, value]) => (
          <span key={name}>
            <Text value={name} /> <strong className="number">{<Score value={value} />}</strong>
          </span>
        ))
      ) : (
        <span>
          {words(of.status)}: <Text value={of.fault ?? of.message} />
        </span>
      )}
      {of.suspect && (
        <Badge tone="warn" mark="⚠">
          suspect
        </Badge>
      )}
      <span className="muted">{formatDuration(of.ms)}</span>
    </div>
  );
}
