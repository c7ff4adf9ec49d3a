import type { EventType, RunEvent } from '../model/events/event.ts';
import { type ResolvedEvent, resolveAsPlanned } from '../model/events/resolve-as-planned.ts';
import type { JsonObject } from '../model/json/json.ts';

/** A decision of a run, reduced to its comparable parts. */
export interface RecordedDecision {
  /** Unique key of the decision: event type, subject and a counter, such as `step_judged s1 (2)`. */
  readonly about: string;
  readonly says: JsonObject;
}

/** All decisions of a run, in order. */
export function decisionsIn(events: readonly RunEvent[]): readonly RecordedDecision[] {
  const times = new Map<string, number>();
  return events.map(resolveAsPlanned()).flatMap((event) => {
    const read = DECISION_READERS[event.type] as ((event: ResolvedEvent) => DecisionParts) | undefined;
    if (read === undefined) return [];
    const [subject, says] = read(event);
    const name = subject === '' ? event.type : `${event.type} ${subject}`;
    const time = (times.get(name) ?? 0) + 1;
    times.set(name, time);
    return [{ about: time === 1 ? name : `${name} (${time})`, says: says as JsonObject }];
  });
}

type DecisionParts = readonly [subject: string, says: object];
type DecisionReader<T extends EventType> = (event: Extract<ResolvedEvent, { readonly type: T }>) => DecisionParts;

const DECISION_READERS: { readonly [T in EventType]?: DecisionReader<T> } = {
  intent_classified: ({ intent, risk }) => ['', { intent, risk }],
  scope_resolved: ({ token, reason }) => ['', { tools: token?.allowed_tools ?? [], reason }],
  policy_checked: ({ cleared, rule }) => ['', { cleared, rule }],
  plan_verified: ({ verdict, problems }) => [
    '',
    { verdict, problems: problems.map(({ code, path, message }) => ({ code, path, message })) },
  ],
  step_cleared: ({ step_id, mode, gates, policy }) => [step_id, { mode, gates, effect: policy?.effect ?? null }],
  step_refused: ({ step_id, layer, code, message }) => [step_id, { layer, code, message }],
  step_verified: ({ call_id, ok, confirmed }) => [call_id, { ok, confirmed }],
  step_judged: ({ step_id, scores, findings, verdict }) => [step_id, judged(scores, findings, verdict)],
  run_judged: ({ scores, findings, verdict, unmet }) => ['', { ...judged(scores, findings, verdict), unmet }],
  gate_opened: ({ name, gate_kind, step_id }) => [`${name} ${step_id ?? ''}`.trim(), { gate_kind }],
  shortage_foreseen: ({ dimension }) => [dimension, {}],
  run_escalated: ({ escalation }) => [escalation.trigger, { recipient: escalation.recipient, route: escalation.route }],
  memory_ruled: ({ rulings }) => [
    '',
    { promoted: rulings.filter(({ promoted }) => promoted !== null).map(({ proposal_id }) => proposal_id) },
  ],
  run_terminated: ({ code, reason, suppressed }) => ['', { code, reason, suppressed }],
};

const judged = (
  scores: object,
  findings: readonly { readonly kind: string; readonly severity: string }[],
  verdict: string | undefined,
): object => ({
  scores,
  findings: findings.map(({ kind, severity }) => `${kind} (${severity})`),
  verdict: verdict ?? null,
});

/** A decision that differs between two runs, or between a run and its what-if. Null on the side that lacks it. */
export interface DecisionDifference {
  readonly about: string;
  readonly recorded: JsonObject | null;
  readonly derived: JsonObject | null;
}

/** Decisions that differ, in the order of the first list, followed by those that only the second list has. */
export function decisionDifferences(
  recorded: readonly RecordedDecision[],
  derived: readonly RecordedDecision[],
): readonly DecisionDifference[] {
  const others = new Map(derived.map(({ about, says }) => [about, says]));
  const known = new Set(recorded.map(({ about }) => about));
  const changed = recorded.flatMap(({ about, says }): readonly DecisionDifference[] => {
    const other = others.get(about) ?? null;
    return JSON.stringify(says) === JSON.stringify(other) ? [] : [{ about, recorded: says, derived: other }];
  });
  const added = derived.filter(({ about }) => !known.has(about));
  return [...changed, ...added.map(({ about, says }) => ({ about, recorded: null, derived: says }))];
}
