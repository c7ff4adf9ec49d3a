import { type CompileSchema, envAt, type KernelEnv } from '../../kernel/index.ts';
import type { EventOf, RunEvent } from '../../model/events/event.ts';
import type { Frame } from '../../model/events/frame.ts';
import { frameEvents } from '../../model/events/frame-events.ts';
import { sameJson } from '../../model/json/json-at.ts';
import { idsOf, joinIds } from '../../model/run/manifest.ts';
import type { Journal } from '../../ports/journal/journal.ts';
import type { DriveEnv } from '../drive.ts';
import { initializedIn, migratedRegistries, recordedEnv } from '../recorded-env.ts';
import { eventsInFrames, readPins, rulesBlob, withRecordedRules, withUnrecordedRules } from '../recorded-rules.ts';
import { changedTools } from '../used-versions.ts';
import type { RunPins } from './effects.ts';

/** Returns the environment to read the frames of a run with. */
export type RulesOf = (frames: readonly Frame[]) => Promise<KernelEnv>;

/** The pins of a run, and the drive environment with them. */
export interface PinnedDrive {
  readonly pins: RunPins;
  readonly drive: DriveEnv;
}

type Initialized = EventOf<'run_initialized'>;

/**
 * Returns the drive environment of a run, usually that of this process. A run that was started under other rules, tools
 * or decisions keeps them to its end, so that a takeover and a replay decide in the same manner.
 */
export function drivesByRules(
  pins: RunPins,
  journal: Journal,
  schemas: () => CompileSchema,
  drive: DriveEnv,
  driveWith: (decided: RunPins) => DriveEnv,
): (frames: readonly Frame[]) => Promise<PinnedDrive> {
  const own = { pins, drive };
  const others = new Map<string, PinnedDrive>();
  return async (frames) => {
    const begun = initializedIn(eventsInFrames(frames));
    if (begun === undefined) return own;
    const migrations = migrationsIn(frames);
    const registries = migratedRegistries(migrations);
    if (registries.length === 0 && isOwn(pins, begun)) return own;
    const key = JSON.stringify([keyOf(begun), registries]);
    const known = others.get(key);
    if (known !== undefined) return known;
    const recorded = await recordedPins(pins, journal, schemas(), [begun, ...migrations]);
    const pinned = { pins: recorded, drive: driveWith(recorded) };
    others.set(key, pinned);
    return pinned;
  };
}

/** The migrations of a run. Frames without one are not parsed. */
export function migrationsIn(frames: readonly Frame[]): readonly RunEvent[] {
  const holding = frames.filter(({ events }) => events.includes('"run_migrated"'));
  return holding.flatMap(frameEvents).filter(({ type }) => type === 'run_migrated');
}

/** True if this process has the rules, tools and decisions of the run. */
function isOwn({ agent, env, registry, catalogVersion }: RunPins, { decided_by, manifest }: Initialized): boolean {
  return (
    decided_by === rulesBlob(env).address &&
    manifest.tool_registry_version === registry.version &&
    manifest.decision_catalog_version === catalogVersion &&
    joinIds(idsOf(manifest.detector_versions)) === joinIds(env.detectors) &&
    sameJson(manifest.autonomy_boundary.tools.allowed, agent.boundary.tools.allowed) &&
    sameJson(manifest.output_schema ?? null, agent.output ?? null)
  );
}

const keyOf = ({ decided_by, manifest }: Initialized): string =>
  JSON.stringify([
    decided_by ?? null,
    manifest.tool_registry_version,
    manifest.decision_catalog_version,
    manifest.detector_versions,
    manifest.autonomy_boundary.tools.allowed,
    manifest.output_schema ?? null,
  ]);

/** The pins of this process with the recorded rules, tools and decisions of a run. */
async function recordedPins(
  pins: RunPins,
  journal: Journal,
  compileSchema: CompileSchema,
  events: readonly [Initialized, ...RunEvent[]],
): Promise<RunPins> {
  const [{ decided_by, manifest }] = events;
  const rules =
    decided_by === undefined
      ? withUnrecordedRules(pins.env)
      : withRecordedRules(pins.env, await readPins(journal, decided_by), manifest);
  const begunWith = await recordedEnv(journal, rules, compileSchema, events);
  const version = migratedRegistries(events).at(-1) ?? manifest.tool_registry_version;
  return pinsAt(pins, { begunWith, version, catalogVersion: manifest.decision_catalog_version });
}

/** The pins of a run that began in this environment and now uses this version of its tools. */
export function pinsAt(
  here: RunPins,
  {
    begunWith,
    version,
    catalogVersion,
  }: Pick<RunPins, 'catalogVersion'> & {
    readonly begunWith: KernelEnv;
    readonly version: string;
  },
): RunPins {
  const env = envAt(begunWith, { manifest: { tool_registry_version: version } });
  return {
    ...here,
    env,
    begunWith,
    registry: { version, tools: env.tools.specs },
    catalogVersion,
    changed: changedTools(env.tools.specs, here.env.tools),
  };
}
