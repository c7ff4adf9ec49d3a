import type { EventOf, RunEvent } from '../model/events/event.ts';
import type { Frame } from '../model/events/frame.ts';
import { frameEvents } from '../model/events/frame-events.ts';
import { type ResolvedEvent, resolveAsPlanned } from '../model/events/resolve-as-planned.ts';
import type { TerminalCode } from '../model/fault/terminal-code.ts';
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../model/json/json.ts';
import { pointerToken } from '../model/json/pointer.ts';
import { type DecisionDifference, decisionDifferences, decisionsIn } from './decisions.ts';

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
    gates: events.flatMap((event) => (event.type === 'gate_opened' ? [event.name] : [])),
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
