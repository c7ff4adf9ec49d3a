import type { KernelLimits } from '../../model/budget/kernel-limits.ts';
import type { Goal } from '../../model/plan/goal.ts';
import type { AgentSpec } from '../../model/run/agent.ts';
import type { Identity } from '../../model/run/identity.ts';
import { prng as dice } from './prng.ts';

/** Separates this generator from others with the same seed. */
const SALT = 0x696e_7461;

/** A data scope that a person has to confirm. */
const LEDGER = 'ledger';

/**
 * Random variations of a request and of its memory settings; most requests have none. It has its own generator, so that
 * the other random choices of a seed do not change.
 */
export interface RandomIntake {
  agent(agent: AgentSpec): AgentSpec;
  goal(goal: Goal): Goal;
  identity(identity: Identity): Identity;
  limits(): Pick<KernelLimits, 'classifierCost'>;
}

export function randomIntake(seed: number): RandomIntake {
  const prng = dice(seed ^ SALT);
  const unclear = prng.chance(0.1);
  const sensitive = prng.chance(0.1);
  const granted = prng.chance(0.9);
  const asked = prng.chance(0.2);
  const read = prng.chance(0.8);
  const most = { input_tokens: prng.int(0, 50), output_tokens: prng.int(0, 20), microusd: prng.int(0, 500) };
  return {
    agent: (plain) => {
      const readable = unclear ? twoReadings(plain) : plain;
      const closed = sensitive ? withLedger(readable) : readable;
      return asked ? remembersWhenAllowed(closed) : closed;
    },
    // No agent declares this intent, so that it has to be classified.
    goal: (plain) => ({
      ...plain,
      ...(unclear ? { intent: 'some.errand' } : {}),
      ...(sensitive ? { data_scopes: [LEDGER] } : {}),
    }),
    identity: (plain) => (sensitive && granted ? { ...plain, scopes: [...plain.scopes, LEDGER] } : plain),
    limits: () => ({ classifierCost: unclear && read ? most : null }),
  };
}

/** Adds the same intent under a second name, so that either reading gives the run work to do. */
function twoReadings(agent: AgentSpec): AgentSpec {
  const [usual] = agent.intents;
  if (usual === undefined) return agent;
  const other = { ...usual, intent: 'errand.fetch', description: 'runs an errand and fetches something' };
  return { ...agent, intents: [usual, other] };
}

function withLedger(agent: AgentSpec): AgentSpec {
  const { boundary } = agent;
  const observations = { ...boundary.observations, permission_scopes: [LEDGER], confirm_scopes: [LEDGER] };
  return { ...agent, boundary: { ...boundary, observations } };
}

function remembersWhenAllowed(agent: AgentSpec): AgentSpec {
  const { boundary } = agent;
  const state_writes = { ...boundary.state_writes, persistent_memory: 'approval' as const };
  return { ...agent, boundary: { ...boundary, state_writes } };
}
