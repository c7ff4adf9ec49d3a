import {
  initialState,
  type ProposedPlan,
  plannerView,
  previewPlan,
  type RunState,
  type TurnEnv,
  takeTurn,
  unplannedPreview,
} from '../../kernel/index.ts';
import type { OutsideEffect } from '../../model/events/effect-kinds.ts';
import type { EventBody } from '../../model/events/event.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { PlanPreview } from '../../model/plan/plan-report.ts';
import type { MemoryStore } from '../../ports/store/memory-store.ts';

/** A plan without a run. By default its author is the one whose plans the graph admits. */
export type UnrecordedPlan = Pick<ProposedPlan, 'proposal'> & Partial<ProposedPlan>;

/**
 * Verifies a plan for a run that begins with this goal. The run exists only here: it takes its turns up to planning as
 * a recorded run does, and none of them is stored.
 */
export function verifyForGoal(
  turn: TurnEnv,
  goal: EventBody,
  now: number,
  { proposal, author }: UnrecordedPlan,
): PlanPreview {
  const begun = takeTurn(turn, initialState(turn.env), goal, now);
  if (!begun.ok) throw begun.fault;
  const { state, outbox } = begun.turn;
  if (outbox.some(({ kind }) => kind === 'propose_plan'))
    return previewPlan(turn, state, { proposal, author: author ?? plannerView(turn.env, state).from });
  const stop = state.ending.terminal ?? state.ending.stops[0];
  if (stop === undefined) throw waitsBeforePlanning(state, outbox);
  return unplannedPreview({ code: stop.code, reason: stop.reason });
}

function waitsBeforePlanning({ people, intake }: RunState, outbox: readonly OutsideEffect[]): Fault {
  const before = 'no plan is verified before a run with this request';
  if (people.gates.length > 0) {
    const message = `${before} passes the gate ${people.gates.map(({ name }) => name).join(', ')}: leave out its data_scopes`;
    return new Fault('plan_not_verified', message, { path: '/request' });
  }
  const isUnclear = people.question !== null || intake.readings.length > 0;
  const message = isUnclear
    ? `${before} has an intent: name it in the request`
    : `${before} has finished ${outbox.map(({ kind }) => kind).join(', ')}`;
  return new Fault('plan_not_verified', message, { path: '/request' });
}

/** The memory store without its writes: a recall for a run that is never recorded quarantines nothing. */
export function readOnlyMemory(store: MemoryStore): MemoryStore {
  const refuse = async (): Promise<void> => undefined;
  return {
    recall: (filter) => store.recall(filter),
    list: (tenant) => store.list(tenant),
    close: () => store.close(),
    put: refuse,
    quarantine: refuse,
    restore: refuse,
  };
}
