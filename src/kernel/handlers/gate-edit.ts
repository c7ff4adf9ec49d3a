import type { EventOf } from '../../model/events/event.ts';
import { Fault } from '../../model/fault/fault.ts';
import { address } from '../../model/json/hash.ts';
import type { Json, JsonObject } from '../../model/json/json.ts';
import { printable } from '../../model/json/printable.ts';
import { withInnerArguments } from '../../model/tool/inner-arguments.ts';
import { realCalls } from '../../model/tool/inner-call.ts';
import type { KernelEnv } from '../env.ts';
import { advance } from '../flow/plan/advance.ts';
import { PLAN_EDIT } from '../query/plan/drafts.ts';
import { verifyContext } from '../query/plan/verify-context.ts';
import { impossibleEvent } from '../state/lifecycle.ts';
import type { OpenGate } from '../state/people-state.ts';
import type { CurrentStep, RunState } from '../state/run-state.ts';
import type { Reaction } from '../transition/reaction.ts';
import { unsuspend } from '../transition/suspend.ts';
import { verifyPlan } from '../verify/verify-plan.ts';

/** Applies a person's edit to a call. The gateway clears it again, and all its gates open with a new packet. */
export function editCall(env: KernelEnv, state: RunState, gate: OpenGate, event: EventOf<'gate_decided'>): Reaction {
  const { current, planning, people } = state;
  if (gate.kind !== 'action' || current === null || planning.active === null) {
    throw new Fault('event_illegal', `only the arguments of a call can be edited, and gate ${gate.gateId} shows none`);
  }
  if (event.parameters === undefined) {
    throw new Fault('input_missing', 'an edit says which arguments it wants', { path: '/parameters' });
  }
  const args = wrapArguments(env, current, event.parameters);
  const [problem] = env.tools.checkArguments(current.tool, args);
  if (problem !== undefined) {
    const { path, message } = problem;
    const subject = path === '' ? 'the edited arguments' : `the edited argument ${printable(path.slice(1))}`;
    throw new Fault('argument_invalid', `${subject}: ${message}`, { path });
  }
  const edit = { planHash: planning.active.hash, args, by: event.approver };
  const reopened: RunState = {
    ...state,
    people: {
      ...people,
      gates: [],
      undecided: 0,
      decision: 'continue',
      edits: { ...people.edits, [current.stepId]: edit },
    },
  };
  return advance(env, unsuspend(reopened));
}

/** Puts the edited inner call back into the arguments of its dispatcher, since people see and edit the inner call. */
function wrapArguments({ tools }: KernelEnv, { tool, args }: CurrentStep, parameters: JsonObject): JsonObject {
  const calls = realCalls({ tool, args }, (name) => tools.get(name)) ?? [{ tool, args }];
  let inner: JsonObject = parameters;
  for (const call of calls.slice(0, -1).toReversed()) {
    const unwrap = tools.get(call.tool)?.unwrap;
    if (unwrap !== undefined) inner = withInnerArguments(unwrap, call.args, inner);
  }
  return inner;
}

/**
 * Replaces the plan by a person's. It is verified like any other, and its gate opens again. The taint of the first
 * author stays, because the kernel cannot tell which parts of the plan are still theirs.
 */
export function editPlan(
  env: KernelEnv,
  state: RunState,
  { gate, answers }: { readonly gate: OpenGate; readonly answers: number },
  event: EventOf<'gate_decided'>,
): Reaction {
  const { planning, people } = state;
  if (planning.active === null) throw impossibleEvent('a plan gate without a plan', state);
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
      // The count of answers continues: an edit changes the packet, not the question.
      answersPerGate: { ...people.answersPerGate, [`${gate.name}  ${planHash}`]: answers },
    },
  };
  return [unsuspend(edited), [{ kind: 'verify_plan', proposal }]];
}
