import { encodeReplyAs } from '../../domain/agent/encode-reply-as.js';
import { expectedFormat } from '../../domain/agent/parse-reply.js';
import { BenchError } from '../../domain/errors.js';
import type { PersonAnswer } from '../../domain/requests/person-turn.js';
import type { PersonTurn, TakenAnswer } from '../../domain/views/person-turn.js';
import { runIdOf } from '../pages/resolve.js';
import { runDefinition } from '../results/run-definition.js';
import type { PortsOf } from '../ports-of.js';
import { type AnswerPorts, answerTurn } from './answer-turn.js';
import { playState, type PlayStatePorts } from './play-state.js';

type PersonPorts = PortsOf<typeof runIdOf | typeof runDefinition>;

/** The open turn of a person's run, else the state of the run. */
export async function personTurn(ports: PersonPorts & PlayStatePorts, ref: string): Promise<PersonTurn> {
  const { runId, agent } = await ofPerson(ports, ref);
  const state = await playState(ports, runId);
  const turn = 'turn' in state ? state.turn : null;
  return {
    runId,
    status: 'run' in state ? state.run.status : 'running',
    format: expectedFormat(agent.outputParser),
    turn:
      turn === null
        ? null
        : {
            step: turn.step,
            try: turn.try,
            requestedAt: turn.requestedAt.toISOString(),
            messages: turn.messages.map(({ role, content, toolCalls = [] }) => ({
              role,
              content: [content, ...toolCalls.map((call) => `${call.name} ${call.arguments}`)]
                .filter(Boolean)
                .join('\n'),
            })),
          },
  };
}

/** Encodes the command for the agent's parser. The first answer to a turn counts. */
export async function answerAsPerson(
  ports: PersonPorts & AnswerPorts,
  ref: string,
  answer: PersonAnswer,
): Promise<TakenAnswer> {
  const { runId, agent } = await ofPerson(ports, ref);
  const { step, try: attempt, raw, thought, action } = answer;
  const reply = raw
    ? { text: action }
    : encodeReplyAs(agent.outputParser, { thought, action }, { commands: agent.tools.commands });
  if (reply === null)
    throw new BenchError('usage', `the agent's output parser (${agent.outputParser}) cannot express this command`, {
      code: 'request.invalid',
      remedy: `${expectedFormat(agent.outputParser)} Type it differently.`,
    });
  const { counts, delivered } = await answerTurn(ports, { runId, step, try: attempt }, reply);
  return { runId, counts, delivered };
}

async function ofPerson(
  ports: PersonPorts,
  ref: string,
): Promise<{ runId: string } & Awaited<ReturnType<typeof runDefinition>>> {
  const runId = await runIdOf(ports, ref);
  const definition = await runDefinition(ports, runId);
  if (definition.model.kind === 'human') return { ...definition, runId };
  throw new BenchError('usage', `run ${runId} is played by ${definition.model.name}, not a person`, {
    remedy: '`bench runs` lists those of people; `bench submit` starts one.',
    fields: { models: 'human' },
  });
}
