import type { EventOf } from '../model/event.ts';
import { Fault } from '../model/fault.ts';
import { address } from '../model/hash.ts';
import type { Json } from '../model/json.ts';
import { PLAN_EDIT } from './edited-args.ts';
import type { KernelEnv } from './env.ts';
import type { OpenGate } from './people-state.ts';
import { impossible, type Reaction } from './reaction.ts';
import type { RunState } from './state.ts';
import { unsuspend } from './suspend.ts';
import { verifyPlan } from './verify/verify-plan.ts';
import { verifyContext } from './verify-context.ts';

/**
 * Puts a person's plan in the place of the one that was shown. It is verified like any other, and whoever approves it is
 * shown it anew. What the first author had read is held against the whole of it: nobody can tell which of its words are
 * still theirs.
 */
export function editPlan(
  env: KernelEnv,
  state: RunState,
  { gate, answers }: { readonly gate: OpenGate; readonly answers: number },
  event: EventOf<'gate_decided'>,
): Reaction {
  const { planning, people } = state;
  if (planning.active === null) throw impossible('a plan gate without a plan', state);
  if (event.parameters === undefined) {
    throw new Fault('input_missing', 'an edit says which plan it wants', { path: '/parameters' });
  }
  const proposal: Json = event.parameters;
  const { verdict, plan, problems } = verifyPlan(proposal, verifyContext(env, state), 0);
  const [problem] = problems;
  if (verdict !== 'ok' || plan === null) {
    const { code, path, message } = problem ?? { code: 'plan_untyped', path: '', message: 'it is no plan' };
    throw new Fault(code, `the edited plan: ${message}`, { path: `/parameters${path}` });
  }
  const planHash = address(env.hash, plan as unknown as Json);
  if (planHash === planning.active.hash) {
    throw new Fault('event_illegal', 'the edited plan is the one that was shown: approve it, or change it');
  }
  const edit = { planHash, args: event.parameters, by: event.approver };
  const edited: RunState = {
    ...state,
    planning: { ...planning, proposal, filled: null, verdict: null },
    people: {
      ...people,
      gates: [],
      undecided: 0,
      edits: { ...people.edits, [PLAN_EDIT]: edit },
      // An edit makes a new packet, not a new question.
      answersPerGate: { ...people.answersPerGate, [`${gate.name}  ${planHash}`]: answers },
    },
  };
  return [unsuspend(edited), [{ kind: 'verify_plan', proposal }]];
}
