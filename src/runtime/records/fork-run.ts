import { z } from 'zod';
import { isRequester, type KernelEnv, type RunState, type Turn, verdictDue } from '../../kernel/index.ts';
import type { EventBody, RunEvent } from '../../model/events/event.ts';
import { type Frame, sealFrame } from '../../model/events/frame.ts';
import { frameEvents } from '../../model/events/frame-events.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { DecisionProof } from '../../model/gate/gate.ts';
import { signingText } from '../../model/gate/signing-text.ts';
import { exactObject, JsonValue } from '../../model/json/exact.ts';
import type { Hash } from '../../model/json/hash.ts';
import type { Json } from '../../model/json/json.ts';
import { Name, Text } from '../../model/json/name.ts';
import { parse } from '../../model/json/parse.ts';
import { type Approvers, Credential } from '../../ports/approvers.ts';
import type { Ids } from '../../ports/clock.ts';
import type { Journal } from '../../ports/journal/journal.ts';
import type { Proofs } from '../../ports/proofs.ts';
import { type Walked, walkRun } from '../../replay/walk-run.ts';
import type { Host } from '../../session/host.ts';
import { BEGINNING, type JournalPlace } from '../../session/journal-writer.ts';
import { loadOutcome } from '../../session/load-outcome.ts';
import type { RunOutcome } from '../../session/outcome.ts';
import { project } from '../../session/projections.ts';
import { assertDerived, assertProven } from '../../session/proofs/assert-proven.ts';
import { requireId } from '../../session/read-input.ts';

/** A frame to copy, with the state of the run after it. */
interface Copied {
  readonly frame: Frame;
  /** The events to copy: all of the frame's events, or those before the verdict where the run is cut. */
  readonly events: readonly RunEvent[];
  readonly state: RunState;
}

interface CopyTo {
  readonly journal: Journal;
  readonly hash: Hash;
  readonly writer: string;
  readonly agent: string;
  readonly runId: string;
}

/**
 * Copies the beginning of a run into a new run: the same events in the same frames, with a new hash chain. Until the
 * fork event is recorded, the new run is paused and requests nothing.
 */
async function copyPrefix(to: CopyTo, copies: readonly Copied[]): Promise<JournalPlace> {
  const { journal, hash, writer, agent, runId } = to;
  let place = BEGINNING;
  for (const { frame: original, events, state } of copies) {
    const { seq, at } = original;
    const frame = sealFrame(
      { session: runId, seq, at, writer, events: JSON.stringify(events), prev: place.head },
      hash,
    );
    const named: RunState = { ...state, id: { ...state.id, runId } };
    const turn: Turn = { state: named, events: [], blobs: [], checkpoints: [], outbox: [] };
    const { session } = project(named, turn, frame, { agent, settled: null });
    const row = { ...session, status: 'paused' as const, wake_at: null, thread: null, thread_user: null };
    const nothing = { gates: [], effects: [], grants: [], intents: [], checkpoints: [] };
    const projections = { session: row, ...nothing };
    await journal.append({ session: runId, expectedSeq: seq - 1, frame, blobs: [], projections, writer });
    place = { seq: frame.seq, head: frame.hash };
  }
  return place;
}

/** The start of a fork, and whether its calls are real. */
export interface ForkOptions {
  /** The id of a checkpoint in the trace. The fork begins right before its verdict. */
  readonly at: string;
  /**
   * True by default: calls with side effects are answered from the record or from `answers`, and never sent. In a fork
   * of an imported run, reads are answered like that too, and false is refused.
   */
  readonly simulate?: boolean;
  /** By tool name, the simulated results of calls that the record has no result for. */
  readonly answers?: Readonly<Record<string, Json>>;
  readonly reason?: string;
  /** The operator who permits real side effects; only needed with `simulate: false`. Never the requester. */
  readonly credential?: Credential;
}
const ForkOptions: z.ZodType<ForkOptions> = exactObject({
  at: Name,
  simulate: z.boolean().exactOptional(),
  answers: z.record(Name, JsonValue).exactOptional(),
  reason: Text.exactOptional(),
  credential: Credential.exactOptional(),
});

interface ForkDeps extends Omit<CopyTo, 'runId'> {
  readonly env: KernelEnv;
  readonly host: Host;
  readonly approvers: Approvers;
  /** Undefined if decisions are not signed. */
  readonly proofs: Proofs | undefined;
  /** The role required to fork for real. */
  readonly operatorRole: string;
  readonly ids: Ids;
  readonly isImported: (runId: string) => Promise<boolean>;
}

/** Creates a run that repeats another one up to one of its verdicts and continues independently. */
export async function forkRun(deps: ForkDeps, frames: readonly Frame[], input: ForkOptions): Promise<RunOutcome> {
  const options = parse(ForkOptions, input, 'input_invalid');
  const { simulate = true, answers, reason = 'forked' } = options;
  const cut = cutAt(deps.env, frames, options.at);
  const imported = await isForeign(deps, cut);
  if (!simulate) assertOwnPast(cut, imported);
  if (simulate && deps.env.tools.specs.some(({ lane }) => lane !== undefined)) {
    throw new Fault(
      'input_invalid',
      'an agent with lanes cannot be simulated, because its lanes would have real side effects',
    );
  }
  assertAnswers(deps.env, answers);
  const who = await deciderOf(deps, cut, options);
  // A simulation of an imported run sends nothing; that of an own run reads.
  if (!imported) await assertPastProven(deps, cut, frames);
  const runId = deps.ids.next('run');
  const place = await copyPrefix({ ...deps, runId }, cut.copies);
  // A migration after the cut does not concern the fork, so its tools follow from the copied frames.
  const run = await deps.host.adopt({ state: cut.before, place }, await deps.journal.load(runId));
  const { frame } = cut.verdict;
  const forked: EventBody = {
    type: 'run_forked',
    run_id: runId,
    trace_id: deps.ids.next('trace'),
    parent: {
      run_id: frame.session,
      frame: frame.seq,
      frame_hash: frame.hash,
      checkpoint_id: options.at,
      at: cut.before.now,
    },
    simulate,
    ...(imported ? { imported } : {}),
    ...(answers === undefined ? {} : { answers }),
    reason,
    ...who,
  };
  const refused = await run.deliver(forked);
  if (refused !== null) throw refused;
  return await loadOutcome(deps.journal, await run.runUntilIdle());
}

/** Rejects a past that this process would not continue either. */
async function assertPastProven({ proofs, journal }: ForkDeps, cut: Cut, frames: readonly Frame[]): Promise<void> {
  await assertProven(proofs, journal, { state: cut.before, frames: framesBefore(cut) });
  const until = frames.filter(({ seq }) => seq <= cut.verdict.frame.seq);
  await assertDerived(proofs, journal, { state: cut.before, frames: until });
}

/** Rejects answers for unknown tools: they would never be used, and the intended call would fail. */
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

/** The frames that the fork copies; the last one may end within a turn. */
const framesBefore = ({ copies }: Cut): readonly Frame[] =>
  copies.map(({ frame, events }) => ({ ...frame, events: JSON.stringify(events) }));

/** Returns everything before the verdict that saved this checkpoint. */
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
    `${checkpointId}: a run can only be forked at a verdict on a plan or a step; in this run: ${where}`,
  );
}

/**
 * Returns whether the past of a fork was imported, as its parent or further back. The copied past of a fork that was
 * never completed does not tell, so it cannot be forked.
 */
async function isForeign({ isImported }: ForkDeps, { before, verdict }: Cut): Promise<boolean> {
  const { session } = verdict.frame;
  if (await isImported(session)) return true;
  if (before.id.runId === session) return before.fork?.imported === true;
  throw new Fault('state_write_refused', `${session} is a fork that was never completed: fork its parent instead`);
}

/** Rejects a real fork of facts that no tool of this runtime has answered. */
function assertOwnPast({ before, verdict }: Cut, imported: boolean): void {
  if (!imported && before.fork?.simulate !== true) return;
  const what = imported ? 'was imported, or is a fork of a run that was' : 'is a simulated fork';
  const message = `${verdict.frame.session} ${what}, so it can only be forked with simulated calls: start a new run instead`;
  throw new Fault('state_write_refused', message);
}

/** Requires an operator of the run's tenant other than its requester. */
function assertMayForkForReal(before: RunState, approver: string, proof: DecisionProof, role: string): void {
  const denied = (code: 'permission_denied' | 'operator_required', why: string): Fault =>
    new Fault(code, `a fork with real side effects needs an operator: ${approver} ${why}`);
  if (isRequester(before, approver)) throw denied('permission_denied', 'is the person for whom the run acts');
  if (proof.tenant_id !== before.id.tenantId) throw denied('permission_denied', `decides for ${proof.tenant_id}`);
  if (!proof.roles.includes(role)) throw denied('operator_required', `does not have the role ${role}`);
}

/** Authenticates the operator who permits real side effects; a simulation needs no one. */
async function deciderOf(
  { approvers, operatorRole }: ForkDeps,
  { before }: Cut,
  { simulate = true, credential, at, reason = 'forked' }: ForkOptions,
): Promise<{ readonly by: string; readonly proof?: DecisionProof }> {
  if (simulate) return { by: 'ambit:simulation' };
  if (credential === undefined) {
    const message = 'a fork with real side effects needs the credential of an operator: pass credential, or simulate';
    throw new Fault('operator_required', message);
  }
  const { id, session } = before;
  const established = await approvers.establish({
    text: (key_id, signed_at) => signingText.fork({ run_id: id.runId, at, reason, key_id, signed_at }),
    credential,
    tenantId: id.tenantId,
    since: session.startedAt,
  });
  if (!established.ok) throw new Fault(established.code, established.message);
  const { approver, proof } = established;
  assertMayForkForReal(before, approver, proof, operatorRole);
  return { by: approver, proof };
}

/** The run and the checkpoint that a fork began from. */
export interface ForkOrigin {
  readonly runId: string;
  /** The fork begins right before the verdict of this checkpoint. */
  readonly checkpointId: string;
  /** True if no call with side effects is sent. */
  readonly simulated: boolean;
}

/**
 * Finds the origin of a fork, or returns null. A fork's first frame belongs to its parent, so the first frame decides
 * whether the rest must be loaded. For a fork of a fork, the last `run_forked` event is its own.
 */
export async function forkOrigin(journal: Pick<Journal, 'first' | 'load'>, runId: string): Promise<ForkOrigin | null> {
  const first = await journal.first(requireId(runId));
  if (first === null) throw new Fault('session_not_found', `there is no session ${runId}`);
  if (isOwn(frameEvents(first), runId)) return null;
  const forked = (await journal.load(runId)).flatMap(frameEvents).findLast((event) => event.type === 'run_forked');
  if (forked === undefined) return null;
  const { run_id, checkpoint_id } = forked.parent;
  return { runId: run_id, checkpointId: checkpoint_id, simulated: forked.simulate };
}

const isOwn = (events: readonly RunEvent[], runId: string): boolean =>
  events.some((event) => event.type === 'goal_received' && event.run_id === runId);
