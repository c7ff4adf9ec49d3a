import type { EventOf, EventType, RunEvent } from '../model/events/event.ts';
import type { Frame } from '../model/events/frame.ts';
import { frameEvents } from '../model/events/frame-events.ts';
import { type ResolvedEvent, resolveAsPlanned } from '../model/events/resolve-as-planned.ts';
import type { TerminalCode } from '../model/fault/terminal-code.ts';
import { openedGates } from '../model/gate/gate-terms.ts';
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../model/json/json.ts';
import { pointerToken } from '../model/json/pointer.ts';

interface Difference {
  readonly path: string;
  readonly message: string;
}

/** The first place where two values differ, in document order. */
export function firstDifference(recorded: unknown, derived: unknown): Difference {
  return findDifference(recorded, derived) ?? { path: '', message: 'the same values in another order' };
}

type Sides = readonly [string, string];

/** Like `firstDifference`, but null if the values are equal. `sides` are the labels of the values in the message. */
function findDifference(a: unknown, b: unknown, sides: Sides = ['recorded', 'derived']): Difference | null {
  return compare(a as Json, b as Json, '', sides);
}

function compare(a: Json | undefined, b: Json | undefined, path: string, sides: Sides): Difference | null {
  if (isContainer(a) && isContainer(b) && Array.isArray(a) === Array.isArray(b)) {
    return compareChildren(a, b, path, sides);
  }
  if (Object.is(a, b)) return null;
  const [left, right] = sides;
  const message = `${path === '' ? 'the events' : path}: ${left} ${show(a)}, ${right} ${show(b)}`;
  return { path, message };
}

function compareChildren(a: JsonObject, b: JsonObject, path: string, sides: Sides): Difference | null {
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const found = compare(own(a, key), own(b, key), `${path}${pointerToken(key)}`, sides);
    if (found !== null) return found;
  }
  return null;
}

const isContainer = (value: Json | undefined): value is JsonObject => typeof value === 'object' && value !== null;

function show(value: Json | undefined): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

/** The difference between two runs. */
export interface RunDiff {
  /** Null if the runs differ only in ids and times. */
  readonly first: FirstDifference | null;
  /** `recorded` is the first run, `derived` the second. */
  readonly decisions: readonly DecisionDifference[];
  readonly a: RunSummary;
  readonly b: RunSummary;
}

export interface FirstDifference {
  /** Number of the event in both runs, from 1. */
  readonly event: number;
  /** The frames that contain the event; null for a run that has ended before. */
  readonly frames: readonly [number | null, number | null];
  readonly path: string;
  readonly message: string;
}

export interface RunSummary {
  readonly run_id: string;
  readonly events: number;
  readonly frames: number;
  readonly plans: number;
  readonly calls: readonly string[];
  readonly gates: readonly string[];
  readonly terminal_code: TerminalCode | null;
}

/** Compares the events of two runs, ignoring their ids and times. */
export function diffRuns(a: readonly Frame[], b: readonly Frame[]): RunDiff {
  const [left, right] = [placedEvents(a), placedEvents(b)];
  const decisions = decisionDifferences(decisionsIn(bareEvents(left)), decisionsIn(bareEvents(right)));
  return { first: firstOf(left, right), decisions, a: summaryOf(a, left), b: summaryOf(b, right) };
}

interface Placed {
  readonly frame: number;
  readonly event: ResolvedEvent;
  /** The event without the run's ids and times. */
  readonly bare: Json;
}

const bareEvents = (placed: readonly Placed[]): readonly RunEvent[] =>
  placed.map(({ bare }) => bare as unknown as RunEvent);

function placedEvents(frames: readonly Frame[]): readonly Placed[] {
  // Compares decisions in full, whichever form they were recorded in.
  const inFull = resolveAsPlanned();
  const events = frames.flatMap((frame) =>
    frameEvents(frame).map((event) => ({ frame: frame.seq, event: inFull(event) })),
  );
  const arrived = events.find(({ event }) => event.type === 'goal_received')?.event as
    | EventOf<'goal_received'>
    | undefined;
  const own = ownNames(arrived);
  return events.map((placed) => ({ ...placed, bare: bareOf(placed.event as unknown as Json, '', own) }));
}

function firstOf(a: readonly Placed[], b: readonly Placed[]): FirstDifference | null {
  for (let place = 0; place < Math.max(a.length, b.length); place += 1) {
    const [left, right] = [a[place], b[place]];
    const found = findDifference(left?.bare, right?.bare, ['first run', 'second run']);
    if (found === null) continue;
    return { event: place + 1, frames: [left?.frame ?? null, right?.frame ?? null], ...found };
  }
  return null;
}

function summaryOf(frames: readonly Frame[], placed: readonly Placed[]): RunSummary {
  const events = placed.map(({ event }) => event);
  const ended = events.findLast((event) => event.type === 'run_terminated');
  return {
    run_id: frames[0]?.session ?? '',
    events: events.length,
    frames: frames.length,
    plans: events.filter((event) => event.type === 'plan_verified' && event.verdict === 'ok').length,
    calls: events.flatMap((event) => (event.type === 'step_attempted' ? [event.tool] : [])),
    gates: events.flatMap((event) => (event.type === 'gate_opened' ? openedGates(event).map(({ name }) => name) : [])),
    terminal_code: ended?.code ?? null,
  };
}

type OwnNames = readonly (readonly [name: string, stands: string])[];

function ownNames(arrived: EventOf<'goal_received'> | undefined): OwnNames {
  if (arrived === undefined) return [];
  const { run_id, trace_id, goal } = arrived;
  return [
    [run_id, 'RUN'],
    [trace_id, 'TRACE'],
    [goal.goal_id, 'GOAL'],
  ];
}

/** Names of time fields. Two runs of one request never have equal times. */
const MOMENT = /^at$|_at$|_before$|_until$/;

/** Addresses of content without ids of the run; other addresses differ from run to run. */
const STABLE_ADDRESSES: ReadonlySet<string> = new Set([
  'args_hash',
  'plan_hash',
  'workflow_graph_version',
  'tool_registry_version',
  'decision_catalog_version',
]);

const ADDRESS = /^(sha256:)?[0-9a-f]{64}$/;

/** Content from tools and people is compared as it is. */
const COMPARED_VERBATIM: ReadonlySet<string> = new Set(['raw', 'args', 'inputs']);

function bareOf(value: Json, key: string, own: OwnNames): Json {
  if (typeof value === 'number') return MOMENT.test(key) ? 'TIME' : value;
  if (typeof value === 'string') return bareText(value, key, own);
  if (isJsonList(value)) return value.map((item) => bareOf(item, key, own));
  if (!isJsonObject(value)) return value;
  if (COMPARED_VERBATIM.has(key)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, bareOf(item, name, own)]));
}

function bareText(text: string, key: string, names: OwnNames): string {
  if (key === 'writer') return 'WRITER';
  if (ADDRESS.test(text)) return STABLE_ADDRESSES.has(key) ? text : 'ADDRESS';
  return names.reduce((named, [name, stands]) => named.replaceAll(name, stands), text);
}

/** A decision of a run, reduced to its comparable parts. */
interface RecordedDecision {
  /** Unique key of the decision: event type, subject and a counter, such as `step_judged s1 (2)`. */
  readonly about: string;
  readonly says: JsonObject;
}

/** All decisions of a run, in order. */
export function decisionsIn(events: readonly RunEvent[]): readonly RecordedDecision[] {
  const times = new Map<string, number>();
  return events
    .map(resolveAsPlanned())
    .flatMap(oneGateEach)
    .flatMap((event) => {
      const read = DECISION_READERS[event.type] as ((event: ResolvedEvent) => DecisionParts) | undefined;
      if (read === undefined) return [];
      const [subject, says] = read(event);
      const name = subject === '' ? event.type : `${event.type} ${subject}`;
      const time = (times.get(name) ?? 0) + 1;
      times.set(name, time);
      return [{ about: time === 1 ? name : `${name} (${time})`, says: says as JsonObject }];
    });
}

/** Compares each gate of a call on its own, however many the call has. */
const oneGateEach = (event: ResolvedEvent): readonly ResolvedEvent[] =>
  event.type === 'gate_opened' ? openedGates(event).map(({ name }) => ({ ...event, name })) : [event];

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
