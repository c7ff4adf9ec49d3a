import { pinsText, samePins } from '../kernel/pins.ts';
import type { RunState } from '../kernel/state.ts';
import type { AgentSpec } from '../model/agent.ts';
import type { Blob } from '../model/blob.ts';
import type { Pins } from '../model/context.ts';
import type { EventBody } from '../model/event.ts';
import { Fault } from '../model/fault.ts';
import type { JsonObject } from '../model/json.ts';
import { evidenceOf, freshness, visibleItems } from '../model/visible-context.ts';
import type { RunOutcome } from './outcome.ts';
import type { RunContext } from './run-contexts.ts';

/** What it takes to bring a session to the pack and the snapshot of this process. */
export interface Migration {
  readonly from: Pins;
  /** What the other context says, as it goes on record with the decision. */
  readonly told: JsonObject;
  readonly deliver: (runId: string, input: EventBody) => Promise<RunOutcome>;
}

/** Whether there is something to decide at all. Pins are not edited: a session goes on with its own, or with those here. */
export function pinsBefore({ manifest, ending, id }: RunState, here: Pins, to: Pins): Pins {
  if (ending.terminal !== null) throw new Fault('session_terminal', `the session ${id.runId} has ended`);
  if (!samePins(here, to)) {
    throw new Fault('pin_immutable', `a session can be migrated to what is here, ${pinsText(here)}, and nowhere else`);
  }
  if (manifest === null || samePins(manifest, to)) {
    throw new Fault('pin_immutable', `the session ${id.runId} is on ${pinsText(to)}: there is nothing to migrate`);
  }
  const { pack_pin, snapshot_pin } = manifest;
  return { pack_pin, snapshot_pin };
}

/** What the run is told from here on, for the identity it acts for, and the texts that go on record with it. */
export function migratedContext(
  state: RunState,
  agent: AgentSpec,
  { context, blobs, quarantined }: RunContext,
  now: number,
): { readonly told: JsonObject; readonly blobs: readonly Blob[] } {
  const { token } = state.intake;
  if (token === null) throw new Fault('event_illegal', 'a session without an identity cannot be migrated');
  const viewer = { token, boundary: agent.boundary, now };
  const evidence = evidenceOf(context, viewer);
  const strange = visibleItems(context, viewer).filter(({ trusted }) => !trusted);
  const [whole] = blobs;
  const told = {
    memory_snapshot: context.memory_snapshot,
    evidence,
    ...freshness(context, evidence),
    ...(whole === undefined ? {} : { context: whole.address }),
    ...(Object.keys(quarantined).length === 0 ? {} : { quarantined }),
    ...(strange.length === 0 ? {} : { untrusted_context: strange.map(({ key }) => key) }),
  };
  return { told: told as JsonObject, blobs };
}
