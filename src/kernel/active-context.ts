import type { ActiveContext, LooseItem } from '../model/compression.ts';
import type { ContextItem } from '../model/context.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { own } from '../model/own.ts';
import { toWire } from './budget-view.ts';
import { elapsedMs } from './checkpointing.ts';
import { isObserved } from './committed.ts';
import { doneSteps } from './done-steps.ts';
import { historyItems } from './reactive/history-items.ts';
import type { RunState } from './state.ts';
import { vecToArray } from './vec.ts';

/** What a model is shown besides what the run itself holds. */
export interface ShownBeside {
  readonly items: readonly ContextItem[];
  /** The working notes of the step at hand. */
  readonly notes: readonly { readonly id: string; readonly text: string }[];
}

/** The active context of a run, and the wording of whatever in it may go. */
export interface Shown {
  readonly context: ActiveContext;
  readonly texts: ReadonlyMap<string, string>;
}

interface Loose extends LooseItem {
  readonly text: string;
}

/** What a model would be shown next, sorted into what has to stay and what may go. From the state, not from a model. */
export function activeContext(state: RunState, beside: ShownBeside): Shown {
  const loose = looseItems(state, beside);
  return {
    context: {
      kept: {
        goal_and_criteria: goalOf(state),
        plan_and_dependencies: planOf(state),
        verified_observations: Object.fromEntries(
          doneSteps(state).map(({ fact }) => [fact.evidenceId, fact.value] as const),
        ),
        open_questions: openQuestions(state),
        budget_state: budgetOf(state),
        trace_pointers: { trace: state.id.traceId, calls: vecToArray(state.work.transcripts) },
        approval_state: approvalsOf(state),
      },
      loose: loose.map(({ text: _, ...item }) => item),
      demoted: state.planning.compressed?.demoted ?? [],
    },
    texts: new Map(loose.map(({ pointer, text }) => [pointer, text])),
  };
}

/** The parts of a state are plain JSON; the types that name them are not told so. */
const json = (value: unknown): Json => value as Json;

const goalOf = ({ intake }: RunState): JsonObject => ({ goal: json(intake.goal), inputs: intake.answers });

function planOf({ planning }: RunState): JsonObject {
  if (planning.active === null) return {};
  const { plan_id, steps, decision_checkpoints } = planning.active.plan;
  return { plan_id, steps: json(steps), decision_checkpoints: json(decision_checkpoints) };
}

function openQuestions({ people, work, current }: RunState): JsonObject {
  const { question, wanted } = people;
  const blocked = current === null ? [] : [current.stepId];
  return {
    question: json(question),
    wanted: json(wanted),
    unresolved: work.unresolved,
    disputed: work.disputed,
    blocked,
  };
}

const budgetOf = (state: RunState): JsonObject =>
  state.budget === null ? {} : (toWire(state.budget, elapsedMs(state)) as unknown as JsonObject);

function approvalsOf({ people, planning }: RunState): JsonObject {
  const { approvals, grants, gates, escalation, decision } = people;
  const state = { approvals, grants, gates, escalation, decision, plan_approved: planning.approved };
  return state as unknown as JsonObject;
}

function looseItems(state: RunState, { items, notes }: ShownBeside): readonly Loose[] {
  const { planning } = state;
  const reflection = planning.reason?.detail['reflection'];
  const plan = planning.active?.plan;
  return [
    ...notes.map(({ id, text }): Loose => ({ class: 'raw_deliberation', pointer: id, text })),
    ...(plan !== undefined && planning.plansCreated > 1
      ? [{ class: 'superseded_plan', pointer: `plans_before:${plan.plan_id}`, text: '' } as const]
      : []),
    ...items.flatMap((item) => redundant(state, item)),
    ...historyItems(state),
    ...(plan?.assumptions ?? []).map(
      ({ id, statement }): Loose => ({ class: 'unsupported_assumption', pointer: `assumption:${id}`, text: statement }),
    ),
    ...(typeof reflection === 'string'
      ? [{ class: 'reflection_chatter', pointer: REFLECTION_POINTER, text: reflection } as const]
      : []),
  ];
}

/** The pointer of what the last reflection said. */
export const REFLECTION_POINTER = 'reflection';

export const contextPointer = (key: string): string => `context:${key}`;

/** What the run was told and has looked up itself since is told twice. */
function redundant(state: RunState, { key, type, value }: ContextItem): readonly Loose[] {
  const seen = own(state.work.evidenceByType, type);
  if (seen === undefined || !isObserved(state, seen)) return [];
  const text = JSON.stringify(value);
  return [{ class: 'redundant_output', pointer: contextPointer(key), summarized_by: seen, text }];
}
