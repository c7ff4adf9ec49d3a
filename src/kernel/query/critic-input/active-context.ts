import type { ActiveContext, DroppableItem } from '../../../model/evidence/compression.ts';
import type { ContextItem } from '../../../model/evidence/context.ts';
import { isHistory } from '../../../model/evidence/visible-context.ts';
import { isJsonObject, type Json, type JsonObject, own } from '../../../model/json/json.ts';
import type { ReactMessage } from '../../../model/plan/react-message.ts';
import { toWire } from '../../budget/view.ts';
import { elapsedMs } from '../../state/lifecycle.ts';
import type { RunState } from '../../state/run-state.ts';
import { vecToArray } from '../../state/vec.ts';
import { isObserved } from '../evidence/committed.ts';
import { doneSteps } from '../plan/steps.ts';

/** Context that the state does not hold. */
export interface ExtraContext {
  readonly items: readonly ContextItem[];
  /** The working notes of the current step. */
  readonly notes: readonly { readonly id: string; readonly text: string }[];
}

/** The active context of a run, with the texts of its loose items. */
export interface ContextWithTexts {
  readonly context: ActiveContext;
  readonly texts: ReadonlyMap<string, string>;
}

interface LooseText extends DroppableItem {
  readonly text: string;
}

/** Builds the next model context from the state: the classes to keep, and the loose items that may be dropped. */
export function activeContext(state: RunState, extra: ExtraContext): ContextWithTexts {
  const loose = looseItems(state, extra);
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

/** State types are plain JSON but are not declared assignable to `Json`. */
const asJson = (value: unknown): Json => value as Json;

const goalOf = ({ intake }: RunState): JsonObject => ({ goal: asJson(intake.goal), inputs: intake.answers });

function planOf({ planning }: RunState): JsonObject {
  if (planning.active === null) return {};
  const { plan_id, steps, decision_checkpoints } = planning.active.plan;
  return { plan_id, steps: asJson(steps), decision_checkpoints: asJson(decision_checkpoints) };
}

function openQuestions({ people, work, current }: RunState): JsonObject {
  const { question, wanted } = people;
  const blocked = current === null ? [] : [current.stepId];
  return {
    question: asJson(question),
    wanted: asJson(wanted),
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

function looseItems(state: RunState, { items, notes }: ExtraContext): readonly LooseText[] {
  const { planning } = state;
  const reflection = planning.reason?.detail['reflection'];
  const plan = planning.active?.plan;
  return [
    ...notes.map(({ id, text }): LooseText => ({ class: 'raw_deliberation', pointer: id, text })),
    ...(plan !== undefined && planning.plansCreated > 1
      ? [{ class: 'superseded_plan', pointer: `plans_before:${plan.plan_id}`, text: '' } as const]
      : []),
    ...items.flatMap((item) => redundantItems(state, item)),
    ...earlierMessages(items),
    ...historyItems(state),
    ...(plan?.assumptions ?? []).map(
      ({ id, statement }): LooseText => ({
        class: 'unsupported_assumption',
        pointer: `assumption:${id}`,
        text: statement,
      }),
    ),
    ...(typeof reflection === 'string'
      ? [{ class: 'reflection_chatter', pointer: REFLECTION_POINTER, text: reflection } as const]
      : []),
  ];
}

export const REFLECTION_POINTER = 'reflection';

export const contextPointer = (key: string): string => `context:${key}`;

/** A context item is redundant once the run has observed evidence of its type. */
function redundantItems(state: RunState, { key, type, value }: ContextItem): readonly LooseText[] {
  const evidenceId = own(state.work.evidenceByType, type);
  if (evidenceId === undefined || !isObserved(state, evidenceId)) return [];
  const text = JSON.stringify(value);
  return [{ class: 'redundant_output', pointer: contextPointer(key), summarized_by: evidenceId, text }];
}

/**
 * The earlier messages of the thread. The newest run with its message and its answer stays: the request usually refers
 * to it.
 */
function earlierMessages(items: readonly ContextItem[]): readonly LooseText[] {
  const messages = items.filter(isHistory);
  const newest = messages.findLastIndex(({ value }) => isJsonObject(value) && value['by'] === 'requester');
  return messages.slice(0, Math.max(0, newest)).map(({ key, value, trusted }) => ({
    class: 'earlier_message',
    pointer: contextPointer(key),
    text: JSON.stringify(isJsonObject(value) && !trusted ? { ...value, trusted } : value),
  }));
}

/** The trace pointer of a history message: its index. */
const historyPointer = (place: number): string => `history:${place}`;

/**
 * The messages of a reactive run that may be dropped: decisions whose step is done, and observations that verified
 * evidence repeats. Failures and the newest step stay, because the next decision depends on them.
 */
function historyItems(state: RunState): readonly LooseText[] {
  if (state.react.messages.size === 0) return [];
  const evidence = new Map(doneSteps(state).map(({ step, fact }) => [step.id, fact.evidenceId]));
  const messages = vecToArray(state.react.messages);
  const newest = messages.findLast((message) => message.kind === 'observation')?.step_id;
  return messages.flatMap((message, place): readonly LooseText[] => {
    const stepId = stepOf(message);
    const summarized_by = evidence.get(stepId);
    if (summarized_by === undefined || stepId === newest || isFailure(message)) return [];
    const item = { pointer: historyPointer(place), text: JSON.stringify(message as unknown as Json) };
    return message.kind === 'decision'
      ? [{ class: 'raw_deliberation', ...item }]
      : [{ class: 'redundant_output', summarized_by, ...item }];
  });
}

const stepOf = (message: ReactMessage): string => (message.kind === 'decision' ? message.step.id : message.step_id);

const isFailure = (message: ReactMessage): boolean => message.kind === 'observation' && message.outcome !== 'ok';

/** The history without the messages that a compression dropped. */
export function shownHistory({ react, planning }: RunState): readonly ReactMessage[] {
  const messages = vecToArray(react.messages);
  const { demoted = [] } = planning.compressed ?? {};
  if (demoted.length === 0) return messages;
  const dropped = new Set(demoted);
  return messages.filter((_, place) => !dropped.has(historyPointer(place)));
}
