import {
  type CompileSchema,
  type KernelEnv,
  probeTools,
  type RunState,
  stillUsed,
  toolTable,
} from '../kernel/index.ts';
import type { EventBody } from '../model/events/event.ts';
import { type Pins, pinsText, samePins } from '../model/evidence/context.ts';
import { evidenceOf, freshness, visibleItems } from '../model/evidence/visible-context.ts';
import { Fault } from '../model/fault/fault.ts';
import { type Blob, toBlob } from '../model/json/blob.ts';
import { canonicalize } from '../model/json/canonical.ts';
import type { Json, JsonObject } from '../model/json/json.ts';
import type { AgentSpec } from '../model/run/agent.ts';
import type { ToolSpec } from '../model/tool/tool.ts';
import { type MigratedTools, toolChanges } from '../model/tool/tool-change.ts';
import type { RunOutcome } from './outcome.ts';
import { pinsAt } from './perform/drives-by-rules.ts';
import type { RunPins } from './perform/effects.ts';
import type { LoadedContext } from './run-contexts.ts';

/** The decision that a migration records. */
export interface PlannedMigration {
  readonly from: Pins;
  readonly to: Pins;
  /** Absent if the run uses no tool that has changed. */
  readonly tools?: MigratedTools;
}

/** A prepared migration of a session to the versions of this process. */
export interface Migration extends PlannedMigration {
  /** The new context, recorded with the decision. */
  readonly newContext: JsonObject;
  readonly deliver: (runId: string, input: EventBody) => Promise<RunOutcome>;
}

/** Checks that there is something to migrate. A session can only move to the pins of this process. */
export function planMigration(
  { manifest, ending, id }: RunState,
  { pack_pin, snapshot_pin }: Pins,
  {
    to = { pack_pin, snapshot_pin },
    tools,
  }: { readonly to: Pins | undefined; readonly tools: MigratedTools | undefined },
): PlannedMigration {
  const here = { pack_pin, snapshot_pin };
  if (ending.terminal !== null) throw new Fault('session_terminal', `the session ${id.runId} has ended`);
  if (!samePins(here, to)) {
    throw new Fault('pin_immutable', `a session can only be migrated to the pins of this process: ${pinsText(here)}`);
  }
  if (manifest === null || (samePins(manifest, to) && tools === undefined)) {
    const message = `the session ${id.runId} already has the versions of this process: ${pinsText(to)}, and the tools that it uses`;
    throw new Fault('pin_immutable', message);
  }
  const from = { pack_pin: manifest.pack_pin, snapshot_pin: manifest.snapshot_pin };
  return tools === undefined ? { from, to } : { from, to, tools };
}

/** The registry of a run after a migration of its tools. */
interface NewerTools {
  readonly tools: MigratedTools;
  readonly specs: readonly ToolSpec[];
  readonly blob: Blob;
}

/**
 * The tools that a run has after its migration: those that it still uses in the versions of this process, and the others
 * as recorded. Null if this changes none.
 */
export function newerTools({ env }: RunPins, here: RunPins, state: RunState): NewerTools | null {
  const used = usedWith(stillUsed(env, state).tools, here.env);
  const known = new Set(env.tools.specs.map(({ name }) => name));
  const added = [...used].filter((name) => !known.has(name));
  const specs = [
    ...env.tools.specs.flatMap((spec) => (used.has(spec.name) ? (here.env.tools.get(spec.name) ?? []) : spec)),
    ...added.flatMap((name) => here.env.tools.get(name) ?? []),
  ];
  const changed = toolChanges(env.tools.specs, specs, env.hash);
  if (changed.length === 0) return null;
  const blob = toBlob(canonicalize(specs as unknown as Json), env.hash);
  return { tools: { tool_registry_version: blob.address, changed }, specs, blob };
}

/** The tools with the probes and compensations that this process declares for them. */
function usedWith(tools: ReadonlySet<string>, here: KernelEnv): ReadonlySet<string> {
  const used = new Set(tools);
  // A set is iterated in insertion order and includes entries added during the loop.
  for (const tool of used) for (const companion of probeTools(here, tool)) used.add(companion);
  return used;
}

/** The pins of a run with these tools, beside all that it had before. */
export function pinsWithTools(
  recorded: RunPins,
  here: RunPins,
  { specs, blob }: NewerTools,
  compile: CompileSchema,
): RunPins {
  const { env, begunWith = env, catalogVersion } = recorded;
  // The boundary of the run stays: it decides which of these tools may be called.
  const allowed = new Set(specs.map(({ name }) => name).filter(env.tools.isAllowed));
  const tools = toolTable(specs, allowed, compile);
  const migrated = new Map([...(begunWith.migrated ?? []), [blob.address, tools]]);
  return pinsAt(here, { begunWith: { ...begunWith, migrated }, version: blob.address, catalogVersion });
}

/** The context of a run that keeps its pack and its snapshot. */
export const keptContext = ({ manifest }: RunState): JsonObject => ({
  memory_snapshot: manifest?.memory_snapshot ?? null,
  evidence: {},
});

/** The new context of a migrated run, as far as its identity may see it, and the blobs to store with it. */
export function migratedContext(
  state: RunState,
  agent: AgentSpec,
  { context, blobs, quarantined }: LoadedContext,
  now: number,
): { readonly newContext: JsonObject; readonly blobs: readonly Blob[] } {
  const { token } = state.intake;
  if (token === null) throw new Fault('event_illegal', 'a session without an identity cannot be migrated');
  const viewer = { token, boundary: agent.boundary, now };
  const evidence = evidenceOf(context, viewer);
  const strange = visibleItems(context, viewer).filter(({ trusted }) => !trusted);
  const [contextBlob] = blobs;
  const recorded = {
    memory_snapshot: context.memory_snapshot,
    evidence,
    ...freshness(context, evidence),
    ...(contextBlob === undefined ? {} : { context: contextBlob.address }),
    ...(Object.keys(quarantined).length === 0 ? {} : { quarantined }),
    ...(strange.length === 0 ? {} : { untrusted_context: strange.map(({ key }) => key) }),
  };
  return { newContext: recorded as JsonObject, blobs };
}
