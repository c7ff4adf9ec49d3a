import type { Provenance } from '../../../model/evidence/evidence.ts';
import { Fault } from '../../../model/fault/fault.ts';
import type { ApprovalPacket } from '../../../model/gate/approval-packet.ts';
import type { EscalationTrigger } from '../../../model/gate/escalation.ts';
import type { GateTerms } from '../../../model/gate/gate-terms.ts';
import { canonicalize } from '../../../model/json/canonical.ts';
import type { Address } from '../../../model/json/hash.ts';
import { isJsonList, isJsonObject, type Json, type JsonObject, own } from '../../../model/json/json.ts';
import { sameJson } from '../../../model/json/json-at.ts';
import { pointerToken } from '../../../model/json/pointer.ts';
import { withReadableInner } from '../../../model/tool/inner-arguments.ts';
import { type RealCall, realCalls } from '../../../model/tool/inner-call.ts';
import type { ToolSpec } from '../../../model/tool/tool.ts';
import type { KernelEnv } from '../../env.ts';
import { impossibleEvent } from '../../state/lifecycle.ts';
import type { ActivePlan, CurrentStep, RunState } from '../../state/run-state.ts';
import { resolveBindings } from '../../verify/bindings.ts';
import { completeArguments } from '../call/complete-arguments.ts';
import { shownDoubts } from '../call/doubted-tool.ts';
import { committedFact } from '../evidence/committed.ts';
import { evidenceHash, evidenceSnapshot } from '../evidence/snapshot.ts';
import { draftedArgs, editedArgs } from '../plan/drafts.ts';
import { blastRadius, rollbackPath } from '../plan/dry-run.ts';
import { specOf } from '../plan/tools.ts';
import { argumentProvenance } from '../provenance/arguments.ts';
import { currentPlanStep } from '../rollback/made-effects.ts';
import { recipientFor } from './escalation.ts';

/** The parts of an approval packet that describe the call. */
type ActionDetails = Omit<ApprovalPacket, 'gate' | 'deciders' | 'gates' | 'expires_at'>;

/** Describes the current call for approval: arguments, evidence, possible effects and requester, as they are now. */
export function describeAction(env: KernelEnv, state: RunState): ActionDetails {
  const { current, planning, intake, id } = state;
  const { active } = planning;
  const step = currentPlanStep(state);
  if (current === null || step === undefined) throw impossibleEvent('an action without a step', state);
  const calls = realCalls({ tool: current.tool, args: current.args }, (tool) => env.tools.get(tool));
  if (calls === null) throw impossibleEvent(`${current.tool} does not say what it would call`, state);
  const real = calls.at(-1) ?? calls[0];
  const spec = env.tools.get(real.tool);
  if (spec === undefined) throw impossibleEvent(`there is no tool ${real.tool}`, state);
  const evidence = evidenceSnapshot(
    env,
    state,
    calls.map(({ tool }) => tool),
  );
  return {
    kind: 'action',
    run_id: id.runId,
    step_id: current.stepId,
    action: real.tool,
    parameters: real.args,
    args_hash: current.argsHash as Address,
    ...(current.inputs === undefined ? {} : { inputs: current.inputs }),
    via: calls.length === 1 ? null : { action: current.tool, parameters: current.args },
    plan_id: active?.plan.plan_id ?? null,
    plan_hash: (active?.hash ?? null) as Address | null,
    position: positionOf(active, current),
    evidence_refs: evidence.map(({ evidence_id }) => evidence_id),
    evidence,
    evidence_hash: evidenceHash(env, evidence),
    approval_mode: current.mode,
    blast_radius: blastRadius(spec),
    rollback_path: rollbackPath(spec),
    ...(current.preview === undefined ? {} : { preview: current.preview }),
    cost: specOf(env, current.tool).cost,
    risk: intake.risk,
    provenance: packetProvenance(env, state, calls),
    requested_by: intake.identity?.actor ?? 'nobody',
    requested_from: recipientFor(triggerOf(spec), state.manifest?.autonomy_boundary.escalation_paths ?? []),
    ...(state.changedTools === undefined ? {} : { changed_tools: state.changedTools }),
    ...shownDoubts(state),
  };
}

/** The position of the step in the plan. Null for a compensation, which is not a step of the plan. */
function positionOf(active: ActivePlan | null, { index }: CurrentStep): ApprovalPacket['position'] {
  const n = active === null ? 0 : active.index.order.indexOf(index) + 1;
  return active === null || n === 0 ? null : { n, of: active.plan.steps.length };
}

/** The packet of all gates of a call, with the deciders of each. */
export function actionPacket(details: ActionDetails, gates: readonly GateTerms[]): JsonObject {
  const [first] = gates;
  if (first === undefined) throw new Fault('internal', 'a packet without a gate');
  const { name: gate, deciders } = first;
  const several = gates.length > 1 ? { gates } : {};
  const expires_at = Math.min(...gates.map((each) => each.expires_at));
  const packet: ApprovalPacket = { ...details, gate, deciders, ...several, expires_at };
  return packet as unknown as Readonly<Record<string, Json>>;
}

/** The escalation trigger that decides whose approval the action needs, by tool category. */
function triggerOf({ category }: ToolSpec): EscalationTrigger {
  if (category === 'payment') return 'financial_commitment';
  return category === 'email_calendar' ? 'external_communication' : 'high_impact_mutation';
}

type Sources = Readonly<Record<string, Provenance>>;

/**
 * The source of each argument in the packet. Only the values that an editor changed have the editor as source. For a
 * dispatcher the packet shows the inner call, so pointers are made relative to it.
 */
function packetProvenance(env: KernelEnv, state: RunState, calls: readonly RealCall[]): Sources {
  const stepId = state.current?.stepId ?? '';
  const editor = editedArgs(state, stepId) === null ? undefined : own(state.people.edits, stepId)?.by;
  const args = state.current?.args ?? {};
  const outerSources =
    editor === undefined ? argumentProvenance(state, args) : editedProvenance(env, state, args, editor);
  return calls.slice(0, -1).reduce((sources, { tool }) => innerSources(env, sources, tool), outerSources);
}

/** Arguments that the editor left unchanged keep their source. */
function editedProvenance(env: KernelEnv, state: RunState, args: JsonObject, editor: string): Sources {
  const { current, planning } = state;
  const step = current === null ? undefined : planning.active?.plan.steps[current.index];
  const planned = resolveBindings(step?.params ?? {}, (id) => committedFact(state, id)?.value);
  const written = step === undefined || !planned.ok ? null : draftedArgs(state, step, planned.args);
  if (step === undefined || written === null) return argumentProvenance(state, args);
  const before = completeArguments(env, state, step.tool, written);
  const [shown, edited] = [readableArguments(env, step.tool, before), readableArguments(env, step.tool, args)];
  return provenanceAfterEdit(argumentProvenance(state, before), shown, edited, { source: editor, trusted: true });
}

/** The arguments of a call with inner arguments as objects. In a text, unchanged values could not be recognized. */
function readableArguments({ tools }: KernelEnv, tool: string, args: JsonObject): JsonObject {
  const calls = realCalls({ tool, args }, (name) => tools.get(name)) ?? [{ tool, args }];
  return calls.slice(0, -1).reduceRight((inner, call) => {
    const unwrap = tools.get(call.tool)?.unwrap;
    return unwrap === undefined ? inner : withReadableInner(unwrap, call.args, inner);
  }, calls.at(-1)?.args ?? args);
}

function innerSources({ tools }: KernelEnv, sources: Sources, dispatcher: string): Sources {
  const unwrap = tools.get(dispatcher)?.unwrap;
  if (unwrap === undefined) return sources;
  const inner: Record<string, Provenance> = {};
  for (const [pointer, source] of Object.entries(sources)) {
    if (pointer === unwrap.args || pointer.startsWith(`${unwrap.args}/`)) {
      inner[pointer.slice(unwrap.args.length)] = source;
    } else if (covers(pointer, unwrap.args) || (covers(pointer, unwrap.tool) && !source.trusted)) {
      // One source covers all inner arguments, or an untrusted source chose the tool: the inner call has that source.
      inner[''] = source;
    }
  }
  return inner;
}

const covers = (pointer: string, other: string): boolean => other === pointer || other.startsWith(`${pointer}/`);

type ArgumentSources = Readonly<Record<string, Provenance>>;

/**
 * The source of each argument after an edit. Unchanged values keep their source; new ones have the editor as source. A
 * value that an untrusted source may have written keeps that source wherever it is moved to; otherwise removing one
 * line of a list would make the rest of it trusted.
 */
function provenanceAfterEdit(
  sources: ArgumentSources,
  before: JsonObject,
  after: JsonObject,
  editor: Provenance,
): ArgumentSources {
  const untrusted = new Map<string, Provenance>();
  collectUntrusted(untrusted, sources, before, '', undefined);
  const edited: Record<string, Provenance> = {};
  const compare = (value: Json, old: Json | undefined, pointer: string, outer: Provenance | undefined): void => {
    const source = own(sources, pointer) ?? outer;
    if (source !== undefined && old !== undefined && sameJson(value, old)) edited[pointer] = source;
    else if (isLeaf(value)) edited[pointer] = untrusted.get(canonicalize(value)) ?? editor;
    else {
      for (const [key, child] of Object.entries(value ?? {})) {
        compare(child, childOf(old, key), pointer + pointerToken(key), source);
      }
    }
  };
  compare(after, before, '', undefined);
  return edited;
}

/** Collects every leaf value that comes from an untrusted source, its own or an enclosing one. */
function collectUntrusted(
  untrusted: Map<string, Provenance>,
  sources: ArgumentSources,
  value: Json,
  pointer: string,
  outer: Provenance | undefined,
): void {
  const source = own(sources, pointer) ?? outer;
  if (isLeaf(value)) {
    if (source?.trusted === false) untrusted.set(canonicalize(value), source);
  } else {
    for (const [key, child] of Object.entries(value ?? {})) {
      collectUntrusted(untrusted, sources, child, pointer + pointerToken(key), source);
    }
  }
}

const isLeaf = (value: Json): boolean => typeof value !== 'object' || value === null || Object.keys(value).length === 0;

function childOf(value: Json | undefined, key: string): Json | undefined {
  if (isJsonList(value)) return value[Number(key)];
  return isJsonObject(value) ? own(value, key) : undefined;
}
