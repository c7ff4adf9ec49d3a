import { detectorIds } from '../../critic/detector-ids.ts';
import { standardEvaluators } from '../../critic/standard-evaluators.ts';
import type { Detector } from '../../critic/step/safety.ts';
import { usualDetectors } from '../../critic/step/usual-detectors.ts';
import { DEFAULT_LIMITS, type KernelEnv } from '../../kernel/env.ts';
import { compile } from '../../kernel/graph/compile.ts';
import { GUARDS } from '../../kernel/guards.ts';
import type { CompileSchema } from '../../kernel/verify/tool-table.ts';
import type { RecordedPins } from '../../model/bundle.ts';
import type { RunEvent } from '../../model/event.ts';
import type { JsonObject } from '../../model/json.ts';
import { KernelLimits } from '../../model/kernel-limits.ts';
import { parse } from '../../model/parse.ts';
import type { Journal } from '../../ports/journal.ts';
import type { ReplayEnv } from '../../replay/replay.ts';
import { criticOf } from '../../session/effects.ts';
import type { HostOptions } from '../../session/host.ts';
import { recordedEnv } from '../../session/recorded.ts';
import { NO_RULES } from '../world.ts';

/** What a process has to decide runs again with: its own agent, and code that no record holds. */
export interface DecidingRoom {
  readonly parts: Pick<HostOptions, 'pins' | 'critic'>;
  /** Those that the host brings; which others there are follows from the boundary of the run. */
  readonly detectors: readonly Detector[];
  readonly schemas: () => CompileSchema;
}

type Blobs = Pick<Journal, 'blob'>;

/** A run of this process's agent, with its tools and decisions as they were then. */
export async function ownEnv(room: DecidingRoom, blobs: Blobs, events: readonly RunEvent[]): Promise<ReplayEnv> {
  const { pins, critic } = room.parts;
  return { env: await recordedEnv(blobs, pins.env, room.schemas(), events), critic };
}

/**
 * A run of whichever agent, from what came with it. Policies and detectors are code: where those it was decided with are
 * not here, replay says so.
 */
export async function foreignEnv(
  room: DecidingRoom,
  blobs: Blobs,
  events: readonly RunEvent[],
  recorded: RecordedPins,
): Promise<ReplayEnv> {
  const { env: here } = room.parts.pins;
  const manifest = events.findLast((event) => event.type === 'run_initialized')?.manifest;
  const boundary = manifest?.autonomy_boundary ?? room.parts.pins.agent.boundary;
  const detectors = usualDetectors(boundary, room.detectors);
  const { rubric, judges, gates, specialist } = recorded;
  const env: KernelEnv = {
    graph: compile(recorded.graph, GUARDS, here.hash),
    tools: here.tools,
    catalog: here.catalog,
    policy: manifest?.policy_version === NO_RULES.plans.version ? NO_RULES.plans : here.policy,
    rubric,
    detectors: detectorIds(detectors),
    specialist,
    ...(judges.length === 0 ? {} : { judges }),
    gates: new Map(Object.entries(gates)),
    limits: parse(KernelLimits, { ...DEFAULT_LIMITS, ...recorded.limits }, 'bundle_invalid'),
    hash: here.hash,
  };
  return {
    env: await recordedEnv(blobs, env, room.schemas(), events),
    critic: criticOf(rubric, standardEvaluators(detectors, rubric)),
  };
}

/** What a run is decided with, as data. */
export function pinsOf({ graph, rubric, judges = [], gates, limits, specialist = false }: KernelEnv): RecordedPins {
  return {
    graph: graph.spec as unknown as JsonObject,
    rubric,
    judges,
    gates: Object.fromEntries(gates),
    limits: limits as unknown as JsonObject,
    specialist,
  };
}
