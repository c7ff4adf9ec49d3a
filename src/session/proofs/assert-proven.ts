import { findOpenLanes, type RunState } from '../../kernel/index.ts';
import type { EventOf, RunEvent } from '../../model/events/event.ts';
import type { Frame } from '../../model/events/frame.ts';
import { frameEvents } from '../../model/events/frame-events.ts';
import { Fault, type FaultCode } from '../../model/fault/fault.ts';
import type { RunDecision } from '../../model/gate/recorded-decision.ts';
import type { LaneContext } from '../../model/run/lane.ts';
import type { Journal } from '../../ports/journal/journal.ts';
import type { Proofs } from '../../ports/proofs.ts';
import { type UnprovenDecision, unprovenDecisions } from './check-decisions.ts';

/** The parts of a journal that prove a run. */
export type ProvingJournal = Pick<Journal, 'load' | 'assertSigned'>;

/** A run whose record is about to be used to send calls. */
export interface UsedRecord {
  readonly state: RunState;
  readonly frames: readonly Frame[];
}

/**
 * Throws `decision_unproven` if an unproven decision still permits something in this run, because the run would send a
 * call by it. An approval permits nothing more once its call is over; every other decision counts to the end. Throws
 * `run_unsigned` if the store requires signed frames and the run has others.
 */
export async function assertProven(
  proofs: Proofs | undefined,
  journal: ProvingJournal,
  { state, frames }: UsedRecord,
): Promise<void> {
  if (sendsNothing(state)) return;
  await assertSigned(journal, { state, frames });
  if (proofs === undefined) return;
  const events = frames.flatMap(frameEvents);
  const unproven = await unprovenDecisions(proofs, events);
  const first = unproven.find(({ decision }) => stillPermits(state, events, decision));
  if (first !== undefined) throw unprovenFault(state.id.runId, first);
  if (state.laneContext !== undefined) await assertParentProven(proofs, journal, state.laneContext);
}

/** Whether no call follows in this run. The simulation of an own run reads, that of an imported one does not. */
const sendsNothing = ({ ending, fork }: RunState): boolean => ending.terminal !== null || fork?.imported === true;

/** Throws `run_unsigned` if the store requires signed frames and those of the run, or of a run above it, are not. */
async function assertSigned(journal: ProvingJournal, { state, frames }: UsedRecord): Promise<void> {
  if (journal.assertSigned === undefined) return;
  // The events of a copied run name its parent.
  await journal.assertSigned(frames.at(-1)?.session ?? state.id.runId);
  for (let lane = state.laneContext; lane !== undefined; ) {
    await journal.assertSigned(lane.parent_run_id);
    lane = (await journal.load(lane.parent_run_id))
      .flatMap(frameEvents)
      .find((event) => event.type === 'goal_received')?.lane;
  }
}

/**
 * Throws `run_altered` if a recorded event does not follow from the inputs of its run. A signature proves a decision, and
 * not that the record shows the call, the packet and the terms that it was about.
 */
export async function assertDerived(
  proofs: Proofs | undefined,
  journal: Pick<Journal, 'load'>,
  { state, frames }: UsedRecord,
): Promise<void> {
  if (proofs === undefined || sendsNothing(state)) return;
  if ((await proofs.checkFor(state.id.tenantId)) === null) return;
  await assertUnaltered(proofs, state.id.runId, frames);
  for (let lane = state.laneContext; lane !== undefined; ) {
    const above = await journal.load(lane.parent_run_id);
    await assertUnaltered(proofs, lane.parent_run_id, above);
    lane = above.flatMap(frameEvents).find((event) => event.type === 'goal_received')?.lane;
  }
}

async function assertUnaltered(proofs: Proofs, runId: string, frames: readonly Frame[]): Promise<void> {
  const found = await proofs.firstAltered(frames);
  if (found === null) return;
  throw new Fault(
    'run_altered',
    `frame ${found.frame} of ${runId} was altered: ${found.message}; ${endInstead(runId)}`,
  );
}

/** Rejects a run of a lane's worker outside its lane, because only the lane has the gate and the budget of its calls. */
export function assertInLane({ id: { runId }, ending, laneContext, manifest }: RunState): void {
  if (laneContext !== undefined || ending.terminal !== null) return;
  const agent = manifest?.agent ?? 'the worker of a lane';
  throw new Fault('run_altered', `${runId} is a run of ${agent} outside its lane; ${endInstead(runId)}`);
}

const endInstead = (runId: string): string =>
  `nothing more is sent; end the run with "ambit sessions terminate ${runId}" and start it again`;

function stillPermits(state: RunState, events: readonly RunEvent[], { event }: RunDecision): boolean {
  switch (event.type) {
    case 'run_paused':
    case 'run_cancelled':
      return false;
    case 'step_cleared':
      return isCallOpen(state, event.step_id);
    case 'info_provided':
      return isOpenAt(state, gateOf(events, event.gate_id));
    case 'gate_decided':
      if (event.decision === 'reject') return true;
      if (event.decision !== 'approve') return isOpenAt(state, gateOf(events, event.gate_id));
      return !isDismissed(events, event) && approvalPermits(state, gateOf(events, event.gate_id), event.gate_id);
    default:
      return true;
  }
}

type Opened = EventOf<'gate_opened'> | undefined;

const gateOf = (events: readonly RunEvent[], gateId: string): Opened =>
  events.find((event): event is EventOf<'gate_opened'> => event.type === 'gate_opened' && event.gate_id === gateId);

/** Whether what the gate showed has not happened yet. A gate without a step is about the run. */
const isOpenAt = (state: RunState, gate: Opened): boolean =>
  gate === undefined || gate.step_id === null || isCallOpen(state, gate.step_id);

function approvalPermits(state: RunState, gate: Opened, gateId: string): boolean {
  const { people } = state;
  // The next approval dismisses an unproven one of an incomplete quorum.
  if (people.gates.some((open) => open.gateId === gateId)) return false;
  if (gate === undefined || gate.gate_kind === 'scope' || gate.gate_kind === 'memory') return true;
  // The grants of a plan are dropped with the plan.
  const grants = people.grants.filter(({ grantId }) => grantId === gateId || grantId.startsWith(`${gateId}/`));
  return grants.some(({ usedBy, stepId }) => usedBy === null || stepId === null || isCallOpen(state, stepId));
}

/** Whether a later approval at the same gate has dismissed this one. */
const isDismissed = (events: readonly RunEvent[], approval: EventOf<'gate_decided'>): boolean =>
  events
    .slice(events.indexOf(approval) + 1)
    .some(
      (event) =>
        event.type === 'gate_decided' &&
        event.gate_id === approval.gate_id &&
        event.dismissed?.includes(approval.approver) === true,
    );

/** Whether the call of this step has begun or may be repeated. */
const isCallOpen = (state: RunState, stepId: string): boolean =>
  state.current?.stepId === stepId || findOpenLanes(state).some(({ step }) => step.stepId === stepId);

/** A lane works for its parent, so it stops with the decisions that permit its call there. */
async function assertParentProven(
  proofs: Proofs,
  journal: Pick<Journal, 'load'>,
  { parent_run_id, parent_call_id }: LaneContext,
): Promise<void> {
  const events = (await journal.load(parent_run_id)).flatMap(frameEvents);
  const sent = events.find((event) => event.type === 'step_attempted' && event.call_id === parent_call_id);
  const step = sent?.type === 'step_attempted' ? sent.step_id : null;
  const unproven = await unprovenDecisions(proofs, events);
  const first = unproven.find(({ decision }) => permitsStep(events, decision, step));
  if (first !== undefined) throw unprovenFault(parent_run_id, first);
  const above = events.find((event) => event.type === 'goal_received');
  if (above?.lane !== undefined) await assertParentProven(proofs, journal, above.lane);
}

/** Whether a decision may permit this step of its run. Approvals of other steps do not. */
function permitsStep(events: readonly RunEvent[], { event }: RunDecision, stepId: string | null): boolean {
  if (event.type === 'run_paused' || event.type === 'run_cancelled') return false;
  if (event.type === 'step_cleared') return event.step_id === stepId;
  if (event.type !== 'gate_decided' || event.decision !== 'approve') return true;
  const gate = gateOf(events, event.gate_id);
  return gate === undefined || gate.step_id === null || gate.step_id === stepId;
}

function unprovenFault(runId: string, { message, decision: { event, by, at } }: UnprovenDecision): Fault {
  const what = `${event.type} by ${by} at ${new Date(at).toISOString()} in ${runId}`;
  return new Fault('decision_unproven', `${what} is unproven: ${message}; ${endInstead(runId)}`);
}

/** The faults of a run that may only end, because its record does not prove what it would act by. */
export const UNPROVEN_FAULTS: readonly FaultCode[] = ['decision_unproven', 'run_altered', 'run_unsigned'];

export const isUnproven = (error: unknown): error is Fault => Fault.is(error) && UNPROVEN_FAULTS.includes(error.code);
