import { clearedInFull, type InFull } from '../model/cleared-in-full.ts';
import type { EventType, RunEvent } from '../model/event.ts';
import type { JsonObject } from '../model/json.ts';

/** Something that was decided in a run, in as many words as it takes to compare it. */
export interface Decision {
  /** What it is about, unique within the run: the kind, its subject, and how often that was decided before. */
  readonly about: string;
  readonly says: JsonObject;
}

/** Everything that was decided, in order. */
export function decisionsIn(events: readonly RunEvent[]): readonly Decision[] {
  const times = new Map<string, number>();
  return events.map(clearedInFull()).flatMap((event) => {
    const tell = TELLERS[event.type] as ((event: InFull) => Told) | undefined;
    if (tell === undefined) return [];
    const [subject, says] = tell(event);
    const name = subject === '' ? event.type : `${event.type} ${subject}`;
    const time = (times.get(name) ?? 0) + 1;
    times.set(name, time);
    return [{ about: time === 1 ? name : `${name} (${time})`, says: says as JsonObject }];
  });
}

type Told = readonly [subject: string, says: object];
type Teller<T extends EventType> = (event: Extract<InFull, { readonly type: T }>) => Told;

const TELLERS: { readonly [T in EventType]?: Teller<T> } = {
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

/** One decision that two runs, or a run and what it might have been, do not share. Null where only the other has it. */
export interface DecisionDifference {
  readonly about: string;
  readonly recorded: JsonObject | null;
  readonly derived: JsonObject | null;
}

/** What is decided differently, in the order of the first list, and then whatever only the second decides. */
export function decisionDifferences(
  recorded: readonly Decision[],
  derived: readonly Decision[],
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
