import type { Json, JsonObject } from '../../../model/json/json.ts';
import { sameJson } from '../../../model/json/json-at.ts';
import type { PlanStep } from '../../../model/plan/plan.ts';
import type { ToolSpec } from '../../../model/tool/tool.ts';
import type { KernelEnv } from '../../env.ts';
import type { ConditionAnswer } from '../../state/condition-answer.ts';
import { hasRule } from '../../state/rules.ts';
import type { RunState } from '../../state/run-state.ts';
import { committedFact } from '../evidence/committed.ts';
import { argumentLeaves } from '../provenance/leaves.ts';
import { knownArguments } from './known-arguments.ts';

/** A governed call, as far as its arguments are known. */
export interface ConditionSubject {
  readonly step: PlanStep;
  readonly args: JsonObject;
  /** JSON Pointers of arguments that an earlier step supplies. Empty at dispatch. */
  readonly pending: readonly string[];
}

/**
 * Whether an answer is about the subject of a call. No argument of the same name may differ, and something has to
 * connect both: an argument of the same name, an argument of the call that the lookup supplied, the call that supplied
 * the arguments of the lookup, or the tool's declaration (ADR 0112). In earlier runs nothing had to connect them.
 */
export function isAnswerAbout(state: RunState, answer: ConditionAnswer, call: ConditionSubject): boolean {
  if (differing(answer.args, call.args) !== undefined) return false;
  if (!hasRule(state, 'conditions_by_subject') || answer.about === 'every_call') return true;
  if (answer.about !== undefined) {
    if (differing(answer.about, call.args) !== undefined) return false;
    if (shares(answer.about, call.args)) return true;
  }
  const supplied = suppliers(call).some((id) => committedFact(state, id)?.evidenceId === answer.evidence_id);
  const sources = [answer.args, ...(answer.sources ?? [])];
  return supplied || sources.some((args) => differing(args, call.args) === undefined && shares(args, call.args));
}

/** Whether the answer of an earlier step may be about the subject of a call. Dispatch decides by the real values. */
export function willBeAbout(
  env: KernelEnv,
  state: RunState,
  lookup: { readonly step: PlanStep; readonly spec: ToolSpec },
  call: ConditionSubject,
): boolean {
  const { args, pending } = knownArguments(env, state, lookup.step);
  if (differing(args, call.args) !== undefined) return false;
  if (!hasRule(state, 'conditions_by_subject') || lookup.spec.about !== undefined || pending.length > 0) return true;
  const names = [...Object.keys(call.args), ...call.pending.map(nameAt)];
  return suppliers(call).includes(lookup.step.id) || names.some((name) => Object.hasOwn(args, name));
}

/** The first argument of the same name that differs. */
export function differing(asked: JsonObject, args: JsonObject): string | undefined {
  return Object.keys(asked).find(
    (name) => Object.hasOwn(args, name) && !sameJson(asked[name] ?? null, args[name] ?? null),
  );
}

const shares = (asked: JsonObject, args: JsonObject): boolean =>
  Object.keys(asked).some((name) => Object.hasOwn(args, name) && !isEmpty(args[name] ?? null));

/** An empty value names no subject. */
const isEmpty = (value: Json): boolean => value === null || value === '';

/** The argument that a JSON Pointer leads into. */
const nameAt = (pointer: string): string => pointer.split('/')[1] ?? '';

/** The steps that supply arguments of the call. */
const suppliers = ({ step: { params = {} } }: ConditionSubject): readonly string[] =>
  argumentLeaves(params, params).flatMap(([, leaf]) => (leaf.kind === 'bound' ? [leaf.from] : []));

/** The arguments of the trusted calls that supplied arguments of a step. */
export function argumentsOfSuppliers(env: KernelEnv, state: RunState, step: PlanStep): readonly JsonObject[] {
  const { active } = state.planning;
  return suppliers({ step, args: {}, pending: [] }).flatMap((id) => {
    const index = active?.index.indexOf.get(id);
    const supplier = index === undefined ? undefined : active?.plan.steps[index];
    if (supplier === undefined || committedFact(state, id)?.trusted !== true) return [];
    return [knownArguments(env, state, supplier).args];
  });
}
