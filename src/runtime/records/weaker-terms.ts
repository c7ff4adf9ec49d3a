import { gatePolicy, type KernelEnv } from '../../kernel/index.ts';
import type { GatePolicy } from '../../model/gate/gate.ts';
import type { AgentSpec } from '../../model/run/agent.ts';
import type { RunManifest } from '../../model/run/manifest.ts';

/** The rules of an agent that say what people have to decide. */
interface Terms {
  readonly agent: Pick<AgentSpec, 'boundary'>;
  readonly env: KernelEnv;
}

/**
 * The first detector or rule about decisions of people that is stricter in this process than in the record of a run; null if there is
 * none. A run keeps its rules after a deploy, but they are not signed, so a writer of the store could have weakened them.
 */
export function weakerTerm(here: Terms, recorded: KernelEnv, manifest: RunManifest | undefined): string | null {
  for (const [name, policy] of here.env.gates) {
    const why = weakerGate(gatePolicy(here.env, name), gatePolicy(recorded, name), policy.ttlMs !== undefined);
    if (why !== null) return `gate ${name} ${why}`;
  }
  const detector = here.env.detectors.find((id) => !recorded.detectors.includes(id));
  if (detector !== undefined) return `detector ${detector} checks steps here, and not in the record`;
  const { needs_approval = [], allowed = [] } = manifest?.autonomy_boundary.tools ?? {};
  const tool = here.agent.boundary.tools.needs_approval.find(
    (each) => allowed.includes(each) && !needs_approval.includes(each),
  );
  return tool === undefined ? null : `tool ${tool} needs an approval here, and none in the record`;
}

function weakerGate(here: GatePolicy, recorded: GatePolicy, isTimed: boolean): string | null {
  const admitted =
    recorded.roles.length === 0 ? ['any person'] : recorded.roles.filter((role) => !here.roles.includes(role));
  if (here.roles.length > 0 && admitted.length > 0) {
    return `admits ${admitted.join(', ')} in the record, and ${here.roles.join(', ')} here`;
  }
  if (recorded.quorum < here.quorum) return `needs ${recorded.quorum} approvals in the record, and ${here.quorum} here`;
  if (here.separation && !recorded.separation) return 'separates duties here, and not in the record';
  return isTimed && recorded.ttlMs > here.ttlMs ? 'waits longer in the record than here' : null;
}
