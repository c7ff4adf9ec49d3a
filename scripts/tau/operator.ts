import type { Ambit } from '../../src/index.ts';
import { canonicalize } from '../../src/model/json/canonical.ts';
import type { JsonObject } from '../../src/model/json/json.ts';
import type { RunOutcome } from '../../src/session/outcome.ts';
import type { Task } from './suite.ts';
import { actionOf } from './tools.ts';
import type { World } from './world.ts';

/** The simulated operator's access to the runtime and the world. */
export interface OperatorContext {
  readonly runtime: Ambit;
  readonly world: World;
  readonly realm: string;
  readonly task: Task;
  readonly reached: (point: string) => void;
}

const WHO = { kind: 'local_operator', name: 'operator' } as const;

/**
 * Decides everything that a run waits for. At a gate it approves exactly the recorded calls. For a call in doubt, and
 * for one that equals an earlier call, it checks the world: if the call was not made, the run continues; if it was, the
 * run is terminated and the rest of the task is requested again.
 */
export async function decideAll(context: OperatorContext, outcome: RunOutcome): Promise<RunOutcome> {
  let current = outcome;
  for (;;) {
    const next = await decide(context, current);
    if (next === null) return current;
    current = next;
  }
}

async function decide(context: OperatorContext, outcome: RunOutcome): Promise<RunOutcome | null> {
  const { runtime, reached } = context;
  const [gate] = outcome.pending;
  if (gate !== undefined) {
    const { gateId, packetHash } = gate;
    const packet = await runtime.gates.packet(packetHash);
    reached('at the gate');
    const answer = { packetHash, credential: WHO, reason: 'compared with the recorded calls' };
    return await runtime.gates[isWanted(context.task, packet) ? 'approve' : 'reject'](gateId, answer);
  }
  const { suspended, handoverHash, runId } = outcome;
  if (suspended === null || !isDecided(suspended.reason) || handoverHash === null) return null;
  const place = actionOf(String(suspended.detail?.['step_id']));
  reached('before an escalation is decided');
  const isMade = context.world.deeds(context.realm).some(({ action }) => action === place);
  return await runtime.sessions.decideEscalation(runId, {
    decision: isMade ? 'terminate' : 'continue',
    packetHash: handoverHash,
    credential: WHO,
    reason: isMade ? 'the call was made; another run requests the rest' : 'the call was not made',
  });
}

/** Whether the operator decides a run that stopped or ended for this reason. */
export const isDecided = (reason: string | null): boolean =>
  reason === 'call_in_doubt' || reason === 'duplicate_action';

function isWanted({ actions }: Task, packet: JsonObject): boolean {
  const action = actions[actionOf(String(packet['step_id']))];
  const parameters = packet['parameters'] as JsonObject;
  return (
    action !== undefined &&
    action.real.tool === packet['action'] &&
    Object.entries(action.real.args).every(
      ([name, value]) => canonicalize(value) === canonicalize(parameters[name] ?? null),
    )
  );
}

/** Index of the first call that is not in the world yet, for a request for the rest. */
export function firstOpenCall({ world, realm }: Pick<OperatorContext, 'world' | 'realm'>): number {
  return Math.max(-1, ...world.deeds(realm).map(({ action }) => action)) + 1;
}
