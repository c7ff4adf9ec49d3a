import { address } from '../model/hash.ts';
import type { JsonObject } from '../model/json.ts';
import {
  type CallOrigin,
  CLEAN,
  isGrantable,
  type RequestGrant,
  SOURCE_DEFAULT,
  SOURCE_HOST,
  SOURCE_MODEL,
} from '../model/origin.ts';
import type { PlanStep } from '../model/plan.ts';
import { pointerToken } from '../model/pointer.ts';
import { committedFact } from './committed-fact.ts';
import { draftSource } from './draft/draft-source.ts';
import { editedArgs } from './edited-args.ts';
import type { KernelEnv } from './env.ts';
import { inputsOfOthers, strangerAt } from './inputs-of-others.ts';
import { type Leaf, leavesOf } from './leaves.ts';
import { requestOf, slotOf } from './provenance.ts';
import { isSpent } from './request-spent.ts';
import type { ActivePlan, RunState } from './state.ts';
import { type Said, statedAt } from './stated/request.ts';
import { effectiveMode } from './verify/effective-mode.ts';
import { keysBeyond } from './verify/keys-beyond.ts';

/**
 * Where the call of a step comes from. `bound` says whether a binding had to be followed or something was drafted: a literal call of a clean plan
 * that no grant could concern, which is nearly every call, is answered without looking.
 */
export function callOrigin(
  env: KernelEnv,
  state: RunState,
  step: PlanStep,
  args: JsonObject,
  bound: boolean,
): CallOrigin {
  const { active } = state.planning;
  const spec = env.tools.get(step.tool);
  if (active === null || spec === undefined) return CLEAN;
  const mixed = active.author === 'host' && inputsOfOthers(state).length > 0;
  const untrusted = bound || mixed || active.tainted ? untrustedIn(state, active, step, args) : CLEAN.untrusted;
  // What a lane is asked for are the words of whoever planned above it, and nobody's who could say yes.
  const asksFor = state.seat === undefined && state.manifest?.autonomy_boundary.tools.request_grants === 'stated';
  const grantable = asksFor && !active.tainted && untrusted === CLEAN.untrusted && spec.unwrap === undefined;
  const grant =
    grantable && isGrantable(effectiveMode(step, spec)) ? requestGrant(env, state, active, step, args) : null;
  if (!active.tainted && untrusted === CLEAN.untrusted && grant === null) return CLEAN;
  return { tainted: active.tainted, untrusted, grant };
}

function untrustedIn(state: RunState, active: ActivePlan, step: PlanStep, args: JsonObject): CallOrigin['untrusted'] {
  const found: Record<string, string> = {};
  for (const [pointer, leaf] of leavesOf(step.params ?? {}, args)) {
    const stranger =
      leaf.kind === 'drafted'
        ? draftSource(state, active, step.id, pointer, leaf.draft)
        : strangerAt(state, active, step.id, pointer, leaf);
    if (stranger !== null) found[pointer] = stranger;
    if (stranger !== null || leaf.kind !== 'bound') continue;
    const fact = committedFact(state, leaf.from);
    if (fact === null || !fact.trusted) found[pointer] = fact?.source ?? SOURCE_MODEL;
  }
  return Object.keys(found).length === 0 ? CLEAN.untrusted : found;
}

/** The requester's grant, if every value of the call is theirs or comes from a trusted source. */
function requestGrant(
  env: KernelEnv,
  state: RunState,
  active: ActivePlan,
  step: PlanStep,
  args: JsonObject,
): RequestGrant | null {
  const { goal, identity, answers } = state.intake;
  // Where somebody has changed the arguments, they are no longer what was asked for.
  if (goal === null || identity === null || editedArgs(state, step.id) !== null) return null;
  if (isSpent(state, { tool: step.tool, argsHash: address(env.hash, args), stepId: step.id })) return null;
  const said = requestOf(state);
  const leaves: Record<string, string> = {};
  for (const [pointer, leaf] of leavesOf(step.params ?? {}, args)) {
    const written = active.author === 'host' && leaf.kind === 'literal';
    const from = written ? hostsWord(active, step.id, pointer) : foundIn(state, said, leaf);
    if (from === null) return null;
    leaves[pointer] = from;
  }
  if (active.author === 'model' && !areStated(said, undeclaredKeys(env, step))) return null;
  const request = address(env.hash, { statement: goal.statement, inputs: answers });
  return { by: identity.actor, request, leaves };
}

/** Keys that the tool does not know beforehand say something, such as to whom a share goes. */
const areStated = (said: Said, keys: readonly string[]): boolean =>
  keys.every((key) => statedAt(said, '', key) !== null);

const undeclaredKeys = ({ tools }: KernelEnv, { tool, params = {} }: PlanStep): readonly string[] =>
  keysBeyond(tools.get(tool)?.input_schema ?? {}, params);

function hostsWord(active: ActivePlan, stepId: string, pointer: string): string {
  const slot = slotOf(active, stepId, pointer);
  return slot === null ? SOURCE_HOST : `inputs${pointerToken(slot)}`;
}

function foundIn(state: RunState, said: Said, leaf: Leaf): string | null {
  if (leaf.kind === 'default') return SOURCE_DEFAULT;
  if (leaf.kind === 'bound') return committedFact(state, leaf.from)?.source ?? null;
  return statedAt(said, leaf.name, leaf.value);
}
