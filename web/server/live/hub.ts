import { BenchError } from '../../../domain/errors.js';
import type { ChangePages } from '../../../domain/ports/reading/change-pages.js';
import type { LiveMessage } from '../../../domain/views/changes.js';
import type { liveRoutes } from '../../api/live.js';
import { type Call, Raw } from '../call.js';
import type { Outage } from '../outage.js';
import { timeOf } from './clock.js';
import { intervalOf, Topic, type TopicName, type TopicPorts } from './topic.js';

const STREAMS = 64;
const COMMENT_MS = 15_000;
/** A page may load its data before it subscribes. */
const LOOK_BACK_SECONDS = 10;
/** After a longer absence, clients reload everything. */
const KNOWN_MS = 10 * 60_000;
/** Messages queued for a slow reader; slower ones reconnect, and resume. */
const WAITING = 1000;

export type HubPorts = TopicPorts & { pages: Pick<ChangePages, 'clockBefore'> };

interface Client {
  topics: readonly TopicName[];
  send(message: LiveMessage, cursor: string): void;
}

interface Loop {
  topic: Topic;
  clients: Set<Client>;
  stopped: boolean;
  timer?: NodeJS.Timeout;
}

/** One query at a time for each watched topic, however many clients watch. */
export class Hub {
  private readonly loops = new Map<TopicName, Loop>();
  private readonly streams = new Set<() => void>();
  private readonly texts = new WeakMap<object, string>();

  constructor(
    private readonly ports: HubPorts,
    private readonly outage: Outage,
    private readonly version: string,
    private readonly readOnly = false,
  ) {}

  async open({ query, header, signal, stillAllowed }: Call<typeof liveRoutes.live>): Promise<Raw> {
    if (this.streams.size >= STREAMS)
      throw new BenchError('services', `${STREAMS} pages already follow live updates`, {
        remedy: 'Poll the routes instead.',
      });
    const topics = [...new Set(query.topic)];
    const since = query.since ?? header('last-event-id');
    const known = since !== undefined && Date.now() - timeOf(since) < KNOWN_MS;
    const cursor = known ? since : await this.ports.pages.clockBefore(LOOK_BACK_SECONDS);
    const encoder = new TextEncoder();
    let end = (): void => undefined;
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          const write = (text: string): void => {
            if ((controller.desiredSize ?? 0) <= 0) return end();
            controller.enqueue(encoder.encode(text));
          };
          const client: Client = {
            topics,
            send: (message, at) => write(`event: ${message.event}\nid: ${at}\ndata: ${this.textOf(message)}\n\n`),
          };
          const comment = setInterval(() => (stillAllowed() ? write(':\n\n') : end()), COMMENT_MS);
          const unsubscribe = this.outage.subscribe((lostSince) =>
            client.send({ event: 'services', data: { lostSince } }, cursor),
          );
          end = (): void => {
            end = () => undefined;
            clearInterval(comment);
            unsubscribe();
            signal.removeEventListener('abort', ended);
            this.streams.delete(ended);
            for (const topic of topics) this.leave(topic, client);
            try {
              controller.close();
            } catch {
              // Its reader has gone.
            }
          };
          const ended = (): void => end();
          this.streams.add(ended);
          signal.addEventListener('abort', ended);
          client.send(
            { event: 'hello', data: { cursor, version: this.version, gap: since !== undefined && !known } },
            cursor,
          );
          for (const topic of topics) this.join(topic, client, cursor);
        },
        cancel: () => end(),
      },
      { highWaterMark: WAITING },
    );
    return new Raw(200, body, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'private, no-store',
      'X-Accel-Buffering': 'no',
    });
  }

  watched(): TopicName[] {
    return [...this.loops.keys()];
  }

  close(): void {
    for (const end of [...this.streams]) end();
  }

  private textOf({ data }: LiveMessage): string {
    const text = this.texts.get(data) ?? JSON.stringify(data);
    this.texts.set(data, text);
    return text;
  }

  private join(name: TopicName, client: Client, cursor: string): void {
    const running = this.loops.get(name);
    if (running !== undefined) {
      running.clients.add(client);
      // Send what the other clients have received.
      void this.catchUp(name, client, cursor);
      return;
    }
    const loop: Loop = {
      topic: new Topic(this.ports, name, cursor, !this.readOnly),
      clients: new Set([client]),
      stopped: false,
    };
    this.loops.set(name, loop);
    void this.turn(loop);
  }

  private leave(name: TopicName, client: Client): void {
    const loop = this.loops.get(name);
    if (loop?.clients.delete(client) !== true || loop.clients.size > 0) return;
    loop.stopped = true;
    clearTimeout(loop.timer);
    this.loops.delete(name);
  }

  private async catchUp(name: TopicName, client: Client, cursor: string): Promise<void> {
    try {
      const topic = new Topic(this.ports, name, cursor, false);
      // May come after a newer message of the loop, which is harmless: it has the present state.
      for (const message of await topic.read()) client.send(message, cursor);
    } catch (error) {
      this.outage.report(error);
      client.send({ event: 'gap', data: { topic: name } }, cursor);
    }
  }

  private async turn(loop: Loop): Promise<void> {
    try {
      const messages = await loop.topic.read();
      this.outage.over();
      for (const message of messages) for (const client of loop.clients) client.send(message, this.cursorFor(client));
    } catch (error) {
      this.outage.report(error);
      // Other errors would recur: clients then poll.
      if (this.outage.lostSince() === null)
        for (const client of loop.clients)
          client.send({ event: 'gap', data: { topic: loop.topic.name } }, this.cursorFor(client));
    }
    if (loop.stopped) return;
    loop.timer = setTimeout(() => void this.turn(loop), intervalOf(loop.topic.name));
  }

  /** The earliest of its topics, so that a client that resumes misses nothing. */
  private cursorFor({ topics }: Client): string {
    const cursors = topics.flatMap((name) => this.loops.get(name)?.topic.cursor ?? []);
    return cursors.reduce((a, b) => (timeOf(b) < timeOf(a) ? b : a));
  }
}
