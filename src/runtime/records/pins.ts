import { NO_RULES } from '../../agent/world.ts';
import type { Evaluators } from '../../critic/evaluators/evaluator.ts';
import { evaluatorIds, evaluatorsOf } from '../../critic/evaluators/own-evaluators.ts';
import { detectorIds, detectorsWithin, usualDetectors } from '../../critic/step/detectors.ts';
import type { Detector } from '../../critic/step/safety.ts';
import {
  type CompileSchema,
  compile,
  explainMissingGuard,
  GUARDS,
  type KernelEnv,
  missingGuards,
} from '../../kernel/index.ts';
import { explainMissingEvaluator } from '../../model/critic/rubric.ts';
import type { RunEvent } from '../../model/events/event.ts';
import { frameEvents } from '../../model/events/frame-events.ts';
import { Fault } from '../../model/fault/fault.ts';
import type { RecordedPins } from '../../model/record/bundle.ts';
import { idsOf, joinIds } from '../../model/run/manifest.ts';
import type { Journal } from '../../ports/journal/journal.ts';
import type { Proofs } from '../../ports/proofs.ts';
import { firstAltered } from '../../replay/first-altered.ts';
import type { ReplayEnv } from '../../replay/replay.ts';
import type { HostOptions } from '../../session/host.ts';
import { criticOf } from '../../session/perform/effects.ts';
import { initializedIn, recordedEnv } from '../../session/recorded-env.ts';
import {
  readPins,
  recordedPolicy,
  recordedRules,
  rulesAddress,
  rulesBlob,
  withUnrecordedRules,
} from '../../session/recorded-rules.ts';
import { weakerTerm } from './weaker-terms.ts';

/** The agent and the code that this process uses to replay decisions. No record holds the code. */
export interface ReplayDeps {
  readonly parts: Pick<HostOptions, 'pins' | 'critic'>;
  /** The host's own detectors. The others follow from the boundary of the run. */
  readonly detectors: readonly Detector[];
  readonly evaluators: Partial<Evaluators>;
  readonly schemas: () => CompileSchema;
}

type Blobs = Pick<Journal, 'blob'>;

const cannotDerive = (why: string): Fault => new Fault('replay_input_missing', `cannot re-derive this run: ${why}`);

/**
 * The replay environment of a run of this process's agent, with the rules recorded at the time. Runs recorded before
 * rules were stored use the rules of this process.
 */
export async function ownEnv(deps: ReplayDeps, blobs: Blobs, events: readonly RunEvent[]): Promise<ReplayEnv> {
  const { pins, critic } = deps.parts;
  const at = rulesAddress(events);
  if (at === 'not_kept') {
    return { env: await recordedEnv(blobs, withUnrecordedRules(pins.env), deps.schemas(), events), critic };
  }
  if (at !== null && (at !== rulesBlob(pins.env).address || !hasOwnDetectors(pins.env, events)))
    return await foreignEnv(deps, blobs, events, await readPins(blobs, at));
  return { env: await recordedEnv(blobs, pins.env, deps.schemas(), events), critic };
}

const hasOwnDetectors = ({ detectors }: KernelEnv, events: readonly RunEvent[]): boolean =>
  joinIds(idsOf(initializedIn(events)?.manifest.detector_versions ?? {})) === joinIds(detectors);

/** Derives recorded runs again, each with the agent that owns it: a lane belongs to another agent than its parent. */
export function alterationFinder(
  deps: ReplayDeps,
  agents: ReadonlyMap<string, ReplayDeps>,
  journal: Pick<Journal, 'blob' | 'list'>,
): Proofs['firstAltered'] {
  return async (frames) => {
    const [row] = await journal.list({ session: frames[0]?.session ?? '', limit: 1 });
    const owner = agents.get(row?.agent ?? '') ?? deps;
    const events = frames.flatMap(frameEvents);
    const replay = await ownEnv(owner, journal, events);
    const weaker = weakerTerm(owner.parts.pins, replay.env, initializedIn(events)?.manifest);
    if (weaker !== null) throw weakerFault(frames[0]?.session ?? '', weaker);
    return firstAltered(replay, frames);
  };
}

function weakerFault(runId: string, weaker: string): Fault {
  const end = `End the run with \`ambit sessions terminate ${runId} --reason "the terms have changed"\``;
  const message = `the run was made with weaker terms than this process has: ${weaker}. ${end}, or continue it in a process that has the earlier terms.`;
  return new Fault('version_changed', message);
}

/**
 * The replay environment of a run of any agent, from its recorded pins. Policies and detectors are code: replay reports
 * those that are missing here.
 */
export async function foreignEnv(
  deps: ReplayDeps,
  blobs: Blobs,
  events: readonly RunEvent[],
  recorded: RecordedPins,
): Promise<ReplayEnv> {
  const { env: here } = deps.parts.pins;
  const manifest = events.findLast((event) => event.type === 'run_initialized')?.manifest;
  const boundary = manifest?.autonomy_boundary ?? deps.parts.pins.agent.boundary;
  const detectors = detectorsWithin(usualDetectors(boundary, deps.detectors), idsOf(manifest?.detector_versions ?? {}));
  const { rubric, judges, specialist } = recorded;
  const [missing] = missingGuards(recorded.graph, here.guards);
  if (missing !== undefined) throw cannotDerive(explainMissingGuard(missing, here.guards));
  const unjudged = explainMissingEvaluator(rubric, evaluatorIds(deps.evaluators));
  if (unjudged !== null) throw cannotDerive(unjudged);
  const env: KernelEnv = {
    graph: compile(recorded.graph, here.guards ?? GUARDS, here.hash),
    ...(here.guards === undefined ? {} : { guards: here.guards }),
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
    env: await recordedEnv(blobs, env, deps.schemas(), events),
    critic: criticOf(rubric, evaluatorsOf(detectors, rubric, deps.evaluators)),
  };
}
