import { z } from 'zod';
import type { KernelEnv } from '../../kernel/env.ts';
import { verdictDue } from '../../kernel/fork/on-run-forked.ts';
import type { EventBody } from '../../model/event.ts';
import { Fault } from '../../model/fault.ts';
import { forkText } from '../../model/fork-statement.ts';
import type { Frame } from '../../model/frame.ts';
import type { DecisionProof } from '../../model/gate.ts';
import type { Json } from '../../model/json.ts';
import { JsonValue } from '../../model/json-schema.ts';
import { Name, Text } from '../../model/name.ts';
import { parse } from '../../model/parse.ts';
import { type Approvers, Credential } from '../../ports/approvers.ts';
import type { Ids } from '../../ports/ids.ts';
import type { Walked } from '../../replay/walk-run.ts';
import { walkRun } from '../../replay/walk-run.ts';
import { type Copied, type CopyTo, copyPrefix } from '../../session/fork/copy-prefix.ts';
import type { Host } from '../../session/host.ts';
import { outcomeOf, type RunOutcome } from '../../session/outcome.ts';

/** Where a fork begins, and what it may do. */
export interface ForkOptions {
  /** The id of a checkpoint, as a trace lists them: the fork begins right before its verdict. */
  readonly at: string;
  /** Left out or true: calls that change something are answered from the record or from `answers`, and never sent. */
  readonly simulate?: boolean;
  /** What tools that change something are taken to answer, by name, where the record has no answer. */
  readonly answers?: Readonly<Record<string, Json>>;
  readonly reason?: string;
  /** Who lets the fork change things for real; without `simulate: false` nobody is asked. */
  readonly credential?: Credential;
}
const ForkOptions: z.ZodType<ForkOptions> = z.strictObject({
  at: Name,
  simulate: z.boolean().exactOptional(),
  answers: z.record(Name, JsonValue).exactOptional(),
  reason: Text.exactOptional(),
  credential: Credential.exactOptional(),
});

export interface ForkRoom extends Omit<CopyTo, 'runId'> {
  readonly env: KernelEnv;
  readonly host: Host;
  readonly approvers: Approvers;
  readonly ids: Ids;
}

/** Another run that begins as this one did, up to one of its verdicts, and goes on from there by itself. */
export async function forkRun(room: ForkRoom, frames: readonly Frame[], given: ForkOptions): Promise<RunOutcome> {
  const options = parse(ForkOptions, given, 'input_invalid');
  const { simulate = true, answers, reason = 'forked' } = options;
  const cut = cutAt(room.env, frames, options.at);
  if (simulate && room.env.tools.specs.some(({ lane }) => lane !== undefined)) {
    throw new Fault('input_invalid', 'an agent that opens lanes cannot be simulated: its lanes would act for real');
  }
  assertAnswers(room.env, answers);
  const who = await deciderOf(room, cut, options);
  const runId = room.ids.next('run');
  const place = await copyPrefix({ ...room, runId }, cut.copies);
  const run = await room.host.adopt({ state: cut.before, place }, frames);
  const { frame } = cut.verdict;
  const forked: EventBody = {
    type: 'run_forked',
    run_id: runId,
    trace_id: room.ids.next('trace'),
    parent: {
      run_id: frame.session,
      frame: frame.seq,
      frame_hash: frame.hash,
      checkpoint_id: options.at,
      at: cut.before.now,
    },
    simulate,
    ...(answers === undefined ? {} : { answers }),
    reason,
    ...who,
  };
  const refused = await run.deliver(forked);
  if (refused !== null) throw refused;
  return outcomeOf(await run.rest());
}

/** An answer under a name that no tool has would never be given, and the call it was meant for would fail. */
function assertAnswers({ tools }: KernelEnv, answers: ForkOptions['answers'] = {}): void {
  const names = tools.specs.map(({ name }) => name);
  const unknown = Object.keys(answers).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const message = `answers: the run has no tool ${JSON.stringify(unknown)}: it has ${names.join(', ')}`;
  throw new Fault('input_invalid', message, { path: '/answers' });
}

interface Cut {
  readonly copies: readonly Copied[];
  readonly verdict: Walked;
  readonly before: Walked['before'];
}

/** Everything before the verdict that this checkpoint was saved with. */
function cutAt(env: KernelEnv, frames: readonly Frame[], checkpointId: string): Cut {
  const copies: Copied[] = [];
  const forkable: string[] = [];
  for (const walked of walkRun(env, frames)) {
    const { frame, place, event, before, state, saved } = walked;
    const open = copies.at(-1);
    const isVerdict = saved.length > 0 && verdictDue(env, before) !== null;
    if (isVerdict) forkable.push(...saved.map(({ checkpoint_id }) => checkpoint_id));
    if (isVerdict && saved.some(({ checkpoint_id }) => checkpoint_id === checkpointId)) {
      return { copies, verdict: walked, before };
    }
    if (place > 0 && open !== undefined) copies[copies.length - 1] = { frame, events: [...open.events, event], state };
    else copies.push({ frame, events: [event], state });
  }
  const where = forkable.length === 0 ? 'none of its checkpoints' : forkable.join(', ');
  throw new Fault(
    'input_invalid',
    `${checkpointId}: a run can be forked at verdicts on plans and steps, here ${where}`,
  );
}

/** What changes things for real takes a person, who is on record; a simulation takes nobody. */
async function deciderOf(
  { approvers }: ForkRoom,
  { before }: Cut,
  { simulate = true, credential, at, reason = 'forked' }: ForkOptions,
): Promise<{ readonly by: string; readonly proof?: DecisionProof }> {
  if (simulate) return { by: 'ambit:simulation' };
  if (credential === undefined) {
    const message = 'a fork that changes things for real is a person’s decision: give their credential, or simulate';
    throw new Fault('operator_required', message);
  }
  const { id, session } = before;
  const established = await approvers.establish({
    text: (key_id, signed_at) => forkText({ run_id: id.runId, at, reason, key_id, signed_at }),
    credential,
    tenantId: id.tenantId,
    since: session.startedAt,
  });
  if (!established.ok) throw new Fault(established.code, established.message);
  return { by: established.approver, proof: established.proof };
}
