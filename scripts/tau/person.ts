import type { Ambit } from '../../src/index.ts';
import { canonicalize } from '../../src/model/canonical.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { RunOutcome } from '../../src/session/outcome.ts';
import type { Task } from './suite.ts';
import { actionOf } from './tools.ts';
import type { World } from './world.ts';

/** Where a person sits: what is asked of them, and the world they can look at. */
export interface Desk {
  readonly runtime: Ambit;
  readonly world: World;
  readonly realm: string;
  readonly task: Task;
  readonly reached: (point: string) => void;
}

const WHO = { kind: 'local_operator', name: 'operator' } as const;

/**
 * Decides everything that a run waits for. At a gate: yes to exactly the calls that were recorded, no to all others. About
 * a call in doubt: looks whether it was made. If not, it may be made; if it was, the run is ended here, and what is left
 * of the task is asked for anew.
 */
export async function attend(desk: Desk, outcome: RunOutcome): Promise<RunOutcome> {
  let current = outcome;
  for (;;) {
    const next = await decide(desk, current);
    if (next === null) return current;
    current = next;
  }
}

async function decide(desk: Desk, outcome: RunOutcome): Promise<RunOutcome | null> {
  const { runtime, reached } = desk;
  const [gate] = outcome.pending;
  if (gate !== undefined) {
    const { gateId, packetHash } = gate;
    const packet = await runtime.packet(packetHash);
    reached('at the gate');
    const said = { packetHash, credential: WHO, reason: 'it is what the customer asked for, or it is not' };
    return await runtime[isWanted(desk.task, packet) ? 'approve' : 'reject'](gateId, said);
  }
  const { suspended, handoverHash, runId } = outcome;
  if (suspended?.reason !== 'call_in_doubt' || handoverHash === null) return null;
  const place = actionOf(String(suspended.detail?.['step_id']));
  reached('before a doubt is decided');
  const isMade = desk.world.deeds(desk.realm).some(({ action }) => action === place);
  return await runtime.decideEscalation(runId, {
    decision: isMade ? 'terminate' : 'continue',
    packetHash: handoverHash,
    credential: WHO,
    reason: isMade ? 'it was made: the rest is asked for anew' : 'it was not made',
  });
}

function isWanted({ actions }: Task, packet: JsonObject): boolean {
  const action = actions[actionOf(String(packet['step_id']))];
  const parameters = packet['parameters'] as JsonObject;
  return (
    action !== undefined &&
    action.name === packet['action'] &&
    Object.keys(action.kwargs).every(
      (name) => canonicalize(action.kwargs[name] ?? null) === canonicalize(parameters[name] ?? null),
    )
  );
}

/** The first call of a task that is still to be made, for whoever asks for the rest: behind all that the world shows. */
export function whatIsLeft({ world, realm }: Pick<Desk, 'world' | 'realm'>): number {
  return Math.max(-1, ...world.deeds(realm).map(({ action }) => action)) + 1;
}
