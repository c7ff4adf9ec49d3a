import { DEFAULT_LIMITS, type KernelEnv } from '../kernel/env.ts';
import { type Blob, toBlob } from '../model/blob.ts';
import { RecordedPins } from '../model/bundle.ts';
import { canonicalize } from '../model/canonical.ts';
import type { RunEvent } from '../model/event.ts';
import { Fault } from '../model/fault.ts';
import type { Frame } from '../model/frame.ts';
import type { Address } from '../model/hash.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { KernelLimits } from '../model/kernel-limits.ts';
import { parse } from '../model/parse.ts';
import { askedWhole } from '../model/policy-decision.ts';
import type { Journal } from '../ports/journal.ts';
import { recordedText } from './run-contexts.ts';

type Blobs = Pick<Journal, 'blob'>;

/** What a run is decided with, as data: what its manifest only names, and the limits and gates that it does not. */
export function pinsOf(env: KernelEnv): RecordedPins {
  const { graph, rubric, judges = [], gates, limits, specialist = false, policy } = env;
  return {
    graph: graph.spec as unknown as JsonObject,
    rubric,
    judges,
    gates: Object.fromEntries(gates),
    limits: limits as unknown as JsonObject,
    specialist,
    ...(policy.calls?.consider === undefined ? {} : { policy_context: 'looked_at' }),
  };
}

const KEPT = new WeakMap<KernelEnv, Blob>();

/** The same as it goes on record with the beginning of every run; made once for all of them. */
export function decidedBy(env: KernelEnv): Blob {
  const known = KEPT.get(env) ?? toBlob(canonicalize(pinsOf(env) as unknown as Json), env.hash);
  KEPT.set(env, known);
  return known;
}

/** Where a run has put what it is decided with; null for one that has not got so far. */
export function decidedAt(events: Iterable<RunEvent>): Address | 'not_kept' | null {
  for (const event of events) if (event.type === 'run_initialized') return event.decided_by ?? 'not_kept';
  return null;
}

/** The same process, deciding as it did before runs kept what they are decided with. */
export const decidingAsBefore = (env: KernelEnv): KernelEnv => ({ ...env, policy: recordedPolicy(env.policy, {}) });

/** The policies of this process, asked as a run was begun to ask them. */
export function recordedPolicy(
  policy: KernelEnv['policy'],
  { policy_context }: Pick<RecordedPins, 'policy_context'>,
): KernelEnv['policy'] {
  const { calls } = policy;
  if (calls?.consider === undefined || policy_context !== undefined) return policy;
  return { ...policy, calls: askedWhole(calls) };
}

/** Read one frame after the other: it is said in one of the first. */
export function* eventsIn(frames: readonly Frame[]): Iterable<RunEvent> {
  for (const { events } of frames) yield* JSON.parse(events) as readonly RunEvent[];
}

export async function readPins(blobs: Blobs, at: Address): Promise<RecordedPins> {
  return parse(RecordedPins, JSON.parse(await recordedText(blobs, at, 'rules of the run')), 'store_corrupt');
}

/** Limits and gates as they were recorded. What a later version adds has its default. */
export function recordedRules(
  { limits, gates }: RecordedPins,
  unfit: 'store_corrupt' | 'bundle_invalid',
): Pick<KernelEnv, 'limits' | 'gates'> {
  return {
    limits: parse(KernelLimits, { ...DEFAULT_LIMITS, ...limits }, unfit),
    gates: new Map(Object.entries(gates)),
  };
}

/** The same process, deciding with the limits and gates that a run was begun with. */
export function decidingWith(env: KernelEnv, recorded: RecordedPins): KernelEnv {
  const { judges: _, ...rest } = env;
  const { judges, specialist } = recorded;
  return {
    ...rest,
    ...recordedRules(recorded, 'store_corrupt'),
    policy: recordedPolicy(env.policy, recorded),
    specialist,
    ...(judges.length === 0 ? {} : { judges }),
  };
}

/** Those who judge a run and plan for it are asked on where it goes on, so they have to be here. */
export function assertAskable(here: KernelEnv, { judges = [], specialist = false }: KernelEnv): void {
  const known = (here.judges ?? []).map((judge) => canonicalize(judge as unknown as Json));
  const missing = judges.find((judge) => !known.includes(canonicalize(judge as unknown as Json)));
  if (missing !== undefined) throw notHere(`is judged by ${missing.name}@${missing.version} as it was then`);
  if (specialist && here.specialist !== true) throw notHere('has a stronger planner in reserve');
}

const notHere = (what: string): Fault =>
  new Fault('replay_input_missing', `the run ${what}, and this process has none: go on with it where there is one`);
