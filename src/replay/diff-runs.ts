import { clearedInFull, type InFull } from '../model/cleared-in-full.ts';
import type { EventOf, RunEvent } from '../model/event.ts';
import type { Frame } from '../model/frame.ts';
import { isJsonList, isJsonObject, type Json } from '../model/json.ts';
import type { TerminalCode } from '../model/terminal-code.ts';
import { type DecisionDifference, decisionDifferences, decisionsIn } from './decisions.ts';
import { findDifference } from './difference.ts';

/** Where two runs part, and what came of it. */
export interface RunDiff {
  /** Null where they are the same but for their names and their times. */
  readonly first: FirstDifference | null;
  /** Recorded is the first of the two, derived the second. */
  readonly decisions: readonly DecisionDifference[];
  readonly a: RunSummary;
  readonly b: RunSummary;
}

export interface FirstDifference {
  /** The number of the event, from 1, in either of them. */
  readonly event: number;
  /** The frame of each that holds it; null where one of them has ended by then. */
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

/** Compares what happened in two runs, apart from what they and their times are called. */
export function diffRuns(a: readonly Frame[], b: readonly Frame[]): RunDiff {
  const [left, right] = [placedEvents(a), placedEvents(b)];
  const decisions = decisionDifferences(decisionsIn(told(left)), decisionsIn(told(right)));
  return { first: firstOf(left, right), decisions, a: summaryOf(a, left), b: summaryOf(b, right) };
}

interface Placed {
  readonly frame: number;
  readonly event: InFull;
  /** Without names and times of its own. */
  readonly bare: Json;
}

const told = (placed: readonly Placed[]): readonly RunEvent[] => placed.map(({ bare }) => bare as unknown as RunEvent);

function placedEvents(frames: readonly Frame[]): readonly Placed[] {
  // What was decided is compared, and not in how many words it is on record.
  const inFull = clearedInFull();
  const events = frames.flatMap((frame) =>
    (JSON.parse(frame.events) as readonly RunEvent[]).map((event) => ({ frame: frame.seq, event: inFull(event) })),
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

/** When something happened or runs out: two runs of the same request never take the same milliseconds. */
const MOMENT = /^at$|_at$|_before$|_until$/;

/** Addresses of things that hold the names of the run differ because those do; these address what does not. */
const MEANT: ReadonlySet<string> = new Set([
  'args_hash',
  'plan_hash',
  'workflow_graph_version',
  'tool_registry_version',
  'decision_catalog_version',
]);

const ADDRESS = /^(sha256:)?[0-9a-f]{64}$/;

/** What a tool or a person said is compared as it is. */
const AS_SAID: ReadonlySet<string> = new Set(['raw', 'args', 'inputs']);

function bareOf(value: Json, key: string, own: OwnNames): Json {
  if (typeof value === 'number') return MOMENT.test(key) ? 'TIME' : value;
  if (typeof value === 'string') return bareText(value, key, own);
  if (isJsonList(value)) return value.map((item) => bareOf(item, key, own));
  if (!isJsonObject(value)) return value;
  if (AS_SAID.has(key)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, bareOf(item, name, own)]));
}

function bareText(text: string, key: string, names: OwnNames): string {
  if (key === 'writer') return 'WRITER';
  if (ADDRESS.test(text)) return MEANT.has(key) ? text : 'ADDRESS';
  return names.reduce((named, [name, stands]) => named.replaceAll(name, stands), text);
}
