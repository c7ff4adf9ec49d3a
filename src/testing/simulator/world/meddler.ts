import type { RunState } from '../../../kernel/index.ts';
import { BUDGET_DIMENSIONS } from '../../../model/budget/dimensions.ts';
import type { EventBody } from '../../../model/events/event.ts';
import { NODE_ROLES } from '../../../model/plan/graph.ts';
import { PROPOSAL_KINDS } from '../../../model/plan/proposal.ts';
import type { Prng } from '../prng.ts';

type Meddling = (prng: Prng, state: RunState) => EventBody;

const MEDDLING: readonly [Meddling, ...Meddling[]] = [
  () => ({ type: 'run_paused', cause: 'operator', by: 'ops' }),
  () => ({ type: 'run_paused', cause: 'operator', by: 'ops' }),
  () => ({ type: 'run_paused', cause: 'operator', by: 'ops', resumes: true }),
  (prng) => ({ type: 'run_steered', note: 'mind the gap', by: prng.pick(['ops', 'user_sim']) }),
  () => ({ type: 'run_taken_over', from: 'writer_before', by: 'ops', reason: 'it does not move' }),
  (prng) => ({ type: 'run_resumed', by: 'ops', operator: prng.chance(0.7) }),
  (prng) =>
    prng.chance(0.3) ? { type: 'run_cancelled', by: 'user_sim', reason: 'changed my mind' } : { type: 'time_passed' },
  (prng) => ({
    type: 'budget_extended',
    by: prng.pick(['ops', '']),
    reason: prng.pick(['more', ' ']),
    delta: { [prng.pick([...BUDGET_DIMENSIONS, 'tool_spend_usd', '__proto__'])]: prng.pick([1, 5, -1, Number.NaN]) },
  }),
  (prng) => ({ type: 'escalation_decided', decision: prng.pick(['continue', 'finalize']), by: 'ops', reason: 'mine' }),
  (_, state) => ({
    type: 'gate_decided',
    gate_id: `gate_${state.id.runId}_1`,
    packet_hash: 'sha256:none',
    decision: 'approve',
    approver: 'mallory',
    reason: 'trust me',
  }),
  (prng) => ({ type: 'proposal_made', kind: prng.pick(PROPOSAL_KINDS), payload: prng.pick([null, ['order_id'], {}]) }),
  (prng) => ({ type: 'proposal_made', kind: prng.pick(['grant_approval', 'add_tool', 'constructor']), payload: {} }),
  (prng) => ({ type: 'transition_requested', to: prng.pick([...NODE_ROLES, 'nowhere', '__proto__']) }),
  (prng) =>
    prng.chance(0.2)
      ? { type: 'stop_raised', stop: { code: prng.pick(['UNSAFE_DETECTION', 'UNAVAILABLE_DEP']), reason: 'breaker' } }
      : { type: 'time_passed' },
];

/** An unexpected event from an operator, a model, a breaker or an impostor. */
export function unexpectedEvent(prng: Prng, state: RunState): EventBody {
  return prng.pick(MEDDLING)(prng, state);
}
