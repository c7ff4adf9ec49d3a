import { detectorIds } from '../../critic/detector-ids.ts';
import { standardEvaluators } from '../../critic/standard-evaluators.ts';
import type { Detector } from '../../critic/step/safety.ts';
import { usualDetectors } from '../../critic/step/usual-detectors.ts';
import type { KernelEnv } from '../../kernel/env.ts';
import { compile } from '../../kernel/graph/compile.ts';
import { GUARDS } from '../../kernel/guards.ts';
import type { CompileSchema } from '../../kernel/verify/tool-table.ts';
import type { RecordedPins } from '../../model/bundle.ts';
import type { RunEvent } from '../../model/event.ts';
import type { Journal } from '../../ports/journal.ts';
import type { ReplayEnv } from '../../replay/replay.ts';
import {
  decidedAt,
  decidedBy,
  decidingAsBefore,
  readPins,
  recordedPolicy,
  recordedRules,
} from '../../session/decided-by.ts';
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

/**
 * A run of this process's agent, with everything that decides about it as it was then. A run that was recorded before it
 * kept its rules is held against those of the process.
 */
export async function ownEnv(room: DecidingRoom, blobs: Blobs, events: readonly RunEvent[]): Promise<ReplayEnv> {
  const { pins, critic } = room.parts;
  const at = decidedAt(events);
  if (at === 'not_kept') {
    return { env: await recordedEnv(blobs, decidingAsBefore(pins.env), room.schemas(), events), critic };
  }
  if (at !== null && at !== decidedBy(pins.env).address)
    return await foreignEnv(room, blobs, events, await readPins(blobs, at));
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
  const { rubric, judges, specialist } = recorded;
  const env: KernelEnv = {
    graph: compile(recorded.graph, GUARDS, here.hash),
    tools: here.tools,
    catalog: here.catalog,
    policy:
      manifest?.policy_version === NO_RULES.plans.version ? NO_RULES.plans : recordedPolicy(here.policy, recorded),
    rubric,
    detectors: detectorIds(detectors),
    specialist,
    ...(judges.length === 0 ? {} : { judges }),
    ...recordedRules(recorded, 'bundle_invalid'),
    hash: here.hash,
  };
  return {
    env: await recordedEnv(blobs, env, room.schemas(), events),
    critic: criticOf(rubric, standardEvaluators(detectors, rubric)),
  };
}
