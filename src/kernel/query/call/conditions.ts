import { approvalsFor } from '../../../model/critic/decision.ts';
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../../../model/json/json.ts';
import type { PlanStep } from '../../../model/plan/plan.ts';
import type { BoundaryCondition } from '../../../model/policy/condition.ts';
import { realCalls } from '../../../model/tool/inner-call.ts';
import type { ToolSpec } from '../../../model/tool/tool.ts';
import type { KernelEnv } from '../../env.ts';
import type { ConditionAnswer } from '../../state/condition-answer.ts';
import { isRollingBack } from '../../state/lifecycle.ts';
import { hasRule } from '../../state/rules.ts';
import type { RunState } from '../../state/run-state.ts';
import { effectiveMode } from '../../verify/step-rules.ts';
import type { DeniedCondition } from '../../verify/verify-context.ts';
import { differing, isAnswerAbout, willBeAbout } from './condition-subject.ts';
import { knownArguments } from './known-arguments.ts';

/** A call whose conditions are checked. */
interface GovernedCall {
  readonly step: PlanStep;
  readonly spec: ToolSpec;
  readonly args: JsonObject;
  /** JSON Pointers of arguments that an earlier step supplies. Empty at dispatch. */
  readonly pending: readonly string[];
  /** The earlier steps of the plan that are still to run. Empty at dispatch. */
  readonly earlier: readonly PlanStep[];
}

/** Returns a function that lists the conditions that deny a call. Null if the boundary has none. */
export function callConditions(
  env: KernelEnv,
  state: RunState,
): ((step: PlanStep, spec: ToolSpec, args: JsonObject) => readonly DeniedCondition[]) | null {
  const conditions = conditionsInForce(state);
  if (conditions === NONE) return null;
  return (step, spec, args) => deniedBy(env, state, conditions, { step, spec, args, pending: [], earlier: [] });
}

/** Like `callConditions`, for a step of a plan: an earlier step may still answer a condition. */
export function stepConditions(
  env: KernelEnv,
  state: RunState,
): ((step: PlanStep, spec: ToolSpec, earlier: readonly PlanStep[]) => readonly DeniedCondition[]) | null {
  const conditions = conditionsInForce(state);
  if (conditions === NONE) return null;
  return (step, outer, earlier) => {
    const { args, pending } = knownArguments(env, state, step);
    const calls = realCalls({ tool: outer.name, args }, (name) => env.tools.get(name)) ?? [{ tool: outer.name, args }];
    return calls.flatMap((call) => {
      const spec = env.tools.get(call.tool);
      if (spec === undefined) return [];
      return deniedBy(env, state, conditions, { step, spec, args: call.args, pending, earlier });
    });
  };
}

const NONE: readonly BoundaryCondition[] = Object.freeze([]);

/** A compensation takes back a call that was permitted, so no condition stops it. */
const conditionsInForce = (state: RunState): readonly BoundaryCondition[] =>
  isRollingBack(state) ? NONE : (state.manifest?.autonomy_boundary.tools.conditions ?? NONE);

/**
 * A condition that is known to hold denies the calls that it governs and every other call with a side effect. A
 * condition that nothing answers denies only the calls that it governs.
 */
function deniedBy(
  env: KernelEnv,
  state: RunState,
  conditions: readonly BoundaryCondition[],
  call: GovernedCall,
): readonly DeniedCondition[] {
  const { spec } = call;
  const action = spec.hazards?.action ?? '';
  const denied: DeniedCondition[] = [];
  for (const condition of conditions) {
    const governs = condition.governs.includes(action);
    if (!governs && !spec.side_effect) continue;
    const finding = examine(env, state, condition, call);
    if (finding.is === 'ruled_out' || (finding.is === 'unknown' && !governs)) continue;
    denied.push(describe(env, state, condition, call, finding));
  }
  return denied;
}

/** What is known about a condition; `why` continues the sentence that denies the call. */
type Finding =
  | { readonly is: 'ruled_out' }
  | { readonly is: 'holds'; readonly why: string }
  | { readonly is: 'unknown'; readonly why: string };

const RULED_OUT: Finding = Object.freeze({ is: 'ruled_out' });

function examine(env: KernelEnv, state: RunState, condition: BoundaryCondition, call: GovernedCall): Finding {
  const { proof, field } = condition;
  const { spec, step } = call;
  if (proof === 'rollback') {
    const isSafe = effectiveMode(step, spec) !== 'destructive' || spec.hazards?.rollback !== undefined;
    return isSafe ? RULED_OUT : { is: 'holds', why: 'declare risk.rollback' };
  }
  if (proof === 'gate') {
    return isGated(env, state, call)
      ? RULED_OUT
      : { is: 'unknown', why: 'declare risk.gates, so that a person decides' };
  }
  if (proof === 'blast_radius' && spec.hazards?.blast_radius !== undefined) return RULED_OUT;
  if (proof === 'limit' && typeof amountOf(call) !== 'number' && !call.pending.some(isAmount)) {
    return { is: 'unknown', why: 'the call has no `amount` or `amount_cents` that is a number' };
  }
  return field === undefined ? RULED_OUT : examineAnswer(env, state, condition, field, call);
}

const AMOUNTS: readonly string[] = ['/amount', '/amount_cents'];
const isAmount = (pointer: string): boolean => AMOUNTS.includes(pointer);

/** The amount of a call, in the unit of the limit. */
const amountOf = ({ args }: Pick<GovernedCall, 'args'>): Json | undefined => args['amount'] ?? args['amount_cents'];

function isGated(env: KernelEnv, { manifest }: RunState, { spec, step }: GovernedCall): boolean {
  const { needs_approval = [] } = manifest?.autonomy_boundary.tools ?? {};
  return (
    spec.gates.length > 0 ||
    (step.requires ?? []).length > 0 ||
    needs_approval.includes(spec.name) ||
    approvalsFor(env.catalog, spec.name).length > 0
  );
}

function examineAnswer(
  env: KernelEnv,
  state: RunState,
  { proof }: BoundaryCondition,
  field: string,
  call: GovernedCall,
): Finding {
  // The answer of a step to come is newer than any answer now, so it decides at dispatch.
  if (call.earlier.some((step) => willAnswer(env, state, field, call, step))) return RULED_OUT;
  const answers = (state.work.answers ?? []).filter((answer) => answer.field === field);
  const newest = answers.find((answer) => counts(state, answer) && isAnswerAbout(state, answer, call));
  if (newest === undefined) return { is: 'unknown', why: whyUnanswered(env, state, field, answers, call) };
  const proved = isProved(proof, newest.value, state, amountOf(call));
  if (proved === true) return RULED_OUT;
  const source = `${newest.tool} (${newest.evidence_id})`;
  if (proved === false) return { is: 'holds', why: `${source} answered \`${field}\` this way` };
  return { is: 'unknown', why: `the answer of ${source} to \`${field}\` is no ${ANSWER_WORDS[proof]}` };
}

const ANSWER_WORDS: Readonly<Record<BoundaryCondition['proof'], string>> = {
  requester: 'text',
  true: 'true or false',
  false: 'true or false',
  list: 'list',
  limit: 'number',
  blast_radius: 'text',
  rollback: '',
  gate: '',
};

/** Whether a value rules the condition out. Null if it says nothing about the condition. */
function isProved(
  proof: BoundaryCondition['proof'],
  value: Json,
  state: RunState,
  amount: Json | undefined,
): boolean | null {
  switch (proof) {
    case 'requester':
      return typeof value === 'string' && hasText(value) ? value === state.intake.token?.actor : null;
    case 'true':
      return typeof value === 'boolean' ? value : null;
    case 'false':
      return typeof value === 'boolean' ? !value : null;
    case 'list':
      return isJsonList(value) ? value.length > 0 && value.every(hasText) : null;
    case 'limit':
      return typeof value === 'number' && typeof amount === 'number' ? amount <= value : null;
    case 'blast_radius':
      return hasText(value) ? true : null;
    case 'rollback':
    case 'gate':
      return null;
  }
}

const hasText = (value: Json): boolean => typeof value === 'string' && !/^[\s\p{Cf}]*$/u.test(value);

/** An answer counts if its source is trusted and no other source contradicts it. */
const counts = ({ work }: RunState, { trusted, evidence_id }: ConditionAnswer): boolean =>
  trusted && !work.disputed.includes(evidence_id) && work.dropped?.includes(evidence_id) !== true;

function willAnswer(env: KernelEnv, state: RunState, field: string, call: GovernedCall, step: PlanStep): boolean {
  const spec = env.tools.get(step.tool);
  if (spec === undefined || !canAnswer(env, state, spec, field)) return false;
  return willBeAbout(env, state, { step, spec }, call);
}

/** Whether a tool of this run declares the field. Its declaration is enough; earlier runs took trusted tools alone. */
function canAnswer(
  { tools }: KernelEnv,
  state: RunState,
  { name, active, trusted, conditions = {} }: ToolSpec,
  field: string,
): boolean {
  const counts = trusted || hasRule(state, 'conditions_by_subject');
  return active && counts && tools.isAllowed(name) && Object.hasOwn(conditions, field);
}

/** The tools of this run that can answer a condition. */
const answeringTools = (env: KernelEnv, state: RunState, field: string): readonly string[] =>
  env.tools.specs.filter((spec) => canAnswer(env, state, spec, field)).map(({ name }) => name);

function whyUnanswered(
  env: KernelEnv,
  state: RunState,
  field: string,
  answers: readonly ConditionAnswer[],
  call: GovernedCall,
): string {
  const tools = answeringTools(env, state, field);
  const other = answers.find((answer) => counts(state, answer));
  const name = other === undefined ? undefined : differing(other.args, call.args);
  if (other !== undefined && name !== undefined)
    return `${other.tool} answered about another \`${name}\`: call it for this one`;
  const bySubject = hasRule(state, 'conditions_by_subject');
  const lookup = other?.tool ?? call.earlier.find(({ tool }) => tools.includes(tool))?.tool;
  if (bySubject && lookup !== undefined && sharesNoName(env, lookup, call)) return explainSubject(lookup, call);
  if (tools.length > 0) return `call ${tools.join(' or ')} first, which answers \`${field}\``;
  const untrusted = env.tools.specs.find(({ conditions = {} }) => Object.hasOwn(conditions, field));
  if (untrusted !== undefined && !bySubject)
    return `${untrusted.name} answers \`${field}\`, but is not trusted: set risk.trusted`;
  const trusted = bySubject ? '' : 'trusted ';
  return `no tool answers \`${field}\`: declare conditions: { ${field}: '/…' } on a ${trusted}tool that looks it up`;
}

/** Whether a lookup has no argument with the name of an argument of the call. */
function sharesNoName({ tools }: KernelEnv, lookup: string, { spec }: GovernedCall): boolean {
  const names = propertyNames(spec.input_schema);
  return !propertyNames(tools.get(lookup)?.input_schema ?? {}).some((name) => names.includes(name));
}

const propertyNames = ({ properties = {} }: JsonObject): readonly string[] =>
  isJsonObject(properties) ? Object.keys(properties) : [];

/** The ways to connect a lookup and a call that have no argument in common. */
function explainSubject(lookup: string, { spec, args, pending }: GovernedCall): string {
  const [name = '…'] = [...propertyNames(spec.input_schema), ...Object.keys(args), ...pending.map((at) => at.slice(1))];
  return `nothing shows that ${lookup} answered about the subject of this call: give both an argument of the same name, bind an argument of one to a result of the other, or declare about: { ${name}: '/…' } on ${lookup}, the field of its result that equals \`${name}\``;
}

function describe(
  env: KernelEnv,
  state: RunState,
  { condition, meaning, field }: BoundaryCondition,
  { spec }: GovernedCall,
  { is, why }: Exclude<Finding, { readonly is: 'ruled_out' }>,
): DeniedCondition {
  const { manifest } = state;
  const profile = manifest?.autonomy_boundary.profile ?? manifest?.autonomy_boundary.boundary_id ?? '';
  const action = spec.hazards?.action ?? 'the call';
  const denial = `${profile} denies ${action} by ${spec.name}`;
  const known = is === 'holds' ? meaning : `nothing rules out that ${meaning}`;
  return {
    code: is === 'holds' ? 'condition_not_met' : 'condition_unanswered',
    message: `${denial}: ${known} (${condition}): ${why}`,
    detail: {
      condition,
      profile,
      field: field ?? null,
      tools: field === undefined ? [] : answeringTools(env, state, field),
    },
  };
}
