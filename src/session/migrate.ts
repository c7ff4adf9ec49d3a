import type { RunState } from '../kernel/index.ts';
import type { EventBody } from '../model/events/event.ts';
import { type Pins, pinsText, samePins } from '../model/evidence/context.ts';
import { evidenceOf, freshness, visibleItems } from '../model/evidence/visible-context.ts';
import { Fault } from '../model/fault/fault.ts';
import type { Blob } from '../model/json/blob.ts';
import type { JsonObject } from '../model/json/json.ts';
import type { AgentSpec } from '../model/run/agent.ts';
import type { RunOutcome } from './outcome.ts';
import type { LoadedContext } from './run-contexts.ts';

/** A prepared migration of a session to the pack and the snapshot of this process. */
export interface Migration {
  readonly from: Pins;
  /** The new context, recorded with the decision. */
  readonly newContext: JsonObject;
  readonly deliver: (runId: string, input: EventBody) => Promise<RunOutcome>;
}

/**
 * Checks that a migration is possible and returns the old pins. A session can only move to the pins of this process.
 */
export function pinsBefore({ manifest, ending, id }: RunState, here: Pins, to: Pins): Pins {
  if (ending.terminal !== null) throw new Fault('session_terminal', `the session ${id.runId} has ended`);
  if (!samePins(here, to)) {
    throw new Fault('pin_immutable', `a session can only be migrated to the pins of this process: ${pinsText(here)}`);
  }
  if (manifest === null || samePins(manifest, to)) {
    throw new Fault('pin_immutable', `the session ${id.runId} is already on ${pinsText(to)}`);
  }
  const { pack_pin, snapshot_pin } = manifest;
  return { pack_pin, snapshot_pin };
}

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
