import { compile, type Derived, guardsForRecorded, type KernelEnv } from '../kernel/index.ts';
import { DEFAULT_LIMITS, KernelLimits } from '../model/budget/kernel-limits.ts';
import type { EventBody, RunEvent } from '../model/events/event.ts';
import type { Frame } from '../model/events/frame.ts';
import { frameEvents } from '../model/events/frame-events.ts';
import type { CompiledContext } from '../model/evidence/context.ts';
import { type Blob, toBlob } from '../model/json/blob.ts';
import { canonicalize } from '../model/json/canonical.ts';
import type { Address } from '../model/json/hash.ts';
import type { Json, JsonObject } from '../model/json/json.ts';
import { parse } from '../model/json/parse.ts';
import { withFullRequests } from '../model/policy/policy-decision.ts';
import { RecordedPins } from '../model/record/bundle.ts';
import { idsOf, type RunManifest } from '../model/run/manifest.ts';
import type { ToolRegistry } from '../model/tool/tool.ts';
import type { Journal } from '../ports/journal/journal.ts';
import { initializedIn } from './recorded-env.ts';
import { type LoadedContext, type RunContexts, recordedText } from './run-contexts.ts';

type Blobs = Pick<Journal, 'blob'>;

/**
 * The rules of a run as data: those that its manifest only names, and the limits and gates that it does not contain.
 */
export function pinsOf(env: KernelEnv): RecordedPins {
  const { graph, rubric, judges = [], gates, limits, specialist = false, policy } = env;
  return {
    graph: graph.spec as unknown as JsonObject,
    rubric,
    judges,
    gates: Object.fromEntries(gates),
    limits: limits as unknown as JsonObject,
    specialist,
    ...(policy.calls === undefined || policy.fullRequests === true ? {} : { policy_context: 'looked_at' }),
  };
}

const KEPT = new WeakMap<KernelEnv, Blob>();

/** The rules as the blob that every run records at its start; computed once per environment. */
export function rulesBlob(env: KernelEnv): Blob {
  const known = KEPT.get(env) ?? toBlob(canonicalize(pinsOf(env) as unknown as Json), env.hash);
  KEPT.set(env, known);
  return known;
}

/** The address of the rules of a run; null if the run has not been initialized. */
export function rulesAddress(events: Iterable<RunEvent>): Address | 'not_kept' | null {
  const begun = initializedIn(events);
  return begun === undefined ? null : (begun.decided_by ?? 'not_kept');
}

/** The environment for runs from before rules were recorded. */
export const withUnrecordedRules = (env: KernelEnv): KernelEnv => ({ ...env, policy: recordedPolicy(env.policy, {}) });

/** This process's policies, called in the form that the run was started with. */
export function recordedPolicy(
  policy: KernelEnv['policy'],
  { policy_context }: Pick<RecordedPins, 'policy_context'>,
): KernelEnv['policy'] {
  const { calls } = policy;
  if (calls === undefined || policy_context !== undefined) return policy;
  return { ...policy, calls: withFullRequests(calls), fullRequests: true };
}

/** Parses frames lazily, because the wanted event is in one of the first. */
export function* eventsInFrames(frames: readonly Frame[]): Iterable<RunEvent> {
  for (const frame of frames) yield* frameEvents(frame);
}

export async function readPins(blobs: Blobs, at: Address): Promise<RecordedPins> {
  return parse(RecordedPins, JSON.parse(await recordedText(blobs, at, 'rules of the run')), 'store_corrupt');
}

/** The recorded limits and gates. Limits added by later versions have their defaults. */
export function recordedRules(
  { limits, gates }: RecordedPins,
  unfit: 'store_corrupt' | 'bundle_invalid',
): Pick<KernelEnv, 'limits' | 'gates'> {
  return {
    limits: parse(KernelLimits, { ...DEFAULT_LIMITS, ...limits }, unfit),
    gates: new Map(Object.entries(gates)),
  };
}

/** The environment with the graph, rubric, limits, gates, judges and detectors that a run was started with. */
export function withRecordedRules(
  env: KernelEnv,
  recorded: RecordedPins,
  { detector_versions }: Pick<RunManifest, 'detector_versions'>,
): KernelEnv {
  const { judges: _, ...rest } = env;
  const { judges, specialist, rubric } = recorded;
  return {
    ...rest,
    ...recordedRules(recorded, 'store_corrupt'),
    graph: compile(recorded.graph, guardsForRecorded(recorded.graph, env.guards), env.hash),
    rubric,
    detectors: idsOf(detector_versions),
    policy: recordedPolicy(env.policy, recorded),
    specialist,
    ...(judges.length === 0 ? {} : { judges }),
  };
}

interface Pinned {
  readonly context: CompiledContext;
  readonly env: KernelEnv;
  readonly registry: ToolRegistry;
}

/** The contexts of a host without memory: every run gets the same one. */
export function sharedContext({ context, env }: Pinned): Pick<RunContexts, 'of'> {
  const blob = toBlob(canonicalize(context as unknown as Json), env.hash);
  const runContext = { context, blobs: [blob], quarantined: {} };
  return { of: () => runContext };
}

/** Records the context and the rules with the first event of a run, so that a replay does not use newer ones. */
export function recordedWith(pins: Pinned, { blobs, quarantined }: LoadedContext, event: EventBody): Derived {
  const [context] = blobs;
  if (event.type !== 'run_initialized' || context === undefined) return { event, blobs: [] };
  const put = Object.keys(quarantined).length === 0 ? {} : { quarantined };
  const rules = rulesBlob(pins.env);
  const kept = { context: context.address, decided_by: rules.address };
  return { event: { ...event, ...kept, ...put }, blobs: [...blobs, rules, ...snapshotsOf(pins)] };
}

const SNAPSHOTS = new WeakMap<Pinned, readonly Blob[]>();

/** The tools and decisions as blobs, whose addresses are their versions; computed once. */
function snapshotsOf(pins: Pinned): readonly Blob[] {
  const known = SNAPSHOTS.get(pins);
  if (known !== undefined) return known;
  const { registry, env } = pins;
  const lists = [registry.tools, [...env.catalog.values()]];
  const made = lists.map((list) => toBlob(canonicalize(list as unknown as Json), env.hash));
  SNAPSHOTS.set(pins, made);
  return made;
}
