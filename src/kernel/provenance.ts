import type { Provenance } from '../model/evidence.ts';
import { isJsonList, isJsonObject, type Json, type JsonObject } from '../model/json.ts';
import { SOURCE_DEFAULT, SOURCE_HOST, SOURCE_MODEL, SOURCE_REQUEST } from '../model/origin.ts';
import { own } from '../model/own.ts';
import { looksLikeBinding } from '../model/plan.ts';
import { pointerToken } from '../model/pointer.ts';
import { assocGet } from './assoc.ts';
import type { ActivePlan, Fact, RunState } from './state.ts';
import { type Said, statedAt, whatWasSaid } from './stated/request.ts';
import { vecGet } from './vec.ts';

/** What an earlier step committed, whether under this plan or one it replaced. */
export function committedFact(state: RunState, stepId: string): Fact | null {
  const index = state.planning.active?.index.indexOf.get(stepId);
  const done = index === undefined ? undefined : vecGet(state.work.progress, index);
  if (done !== undefined) return done.status === 'committed' ? done.fact : null;
  return assocGet(state.work.carried.steps, stepId)?.fact ?? null;
}

/** One value of the arguments: a leaf that the plan says, or whatever one binding or one default supplies. */
export type Leaf =
  | { readonly kind: 'literal'; readonly name: string; readonly value: Json }
  | { readonly kind: 'bound'; readonly from: string }
  | { readonly kind: 'default' };

/**
 * Goes through the arguments beside the parameters of the plan that they were made from, once. What a binding supplies
 * is one value, however much it holds: it all comes from the same place. Empty lists and objects are leaves.
 */
export function leavesOf(params: JsonObject, args: JsonObject): ReadonlyMap<string, Leaf> {
  const leaves = new Map<string, Leaf>();
  collect(leaves, params, args, '', '');
  return leaves;
}

function collect(leaves: Map<string, Leaf>, param: Json | undefined, arg: Json, name: string, pointer: string): void {
  const leaf = leafAt(param, name);
  if (leaf !== null) {
    // No arguments at all are nothing that anybody could have said.
    if (pointer !== '' || leaf.kind === 'bound') leaves.set(pointer, leaf);
  } else if (isJsonList(param) && isJsonList(arg)) {
    for (const [at, item] of arg.entries()) collect(leaves, param[at], item, name, `${pointer}/${at}`);
  } else if (isJsonObject(param) && isJsonObject(arg)) {
    for (const [key, child] of Object.entries(arg)) {
      collect(leaves, own(param, key), child, key, pointer + pointerToken(key));
    }
  }
}

/** Null for what has to be looked into. */
function leafAt(param: Json | undefined, name: string): Leaf | null {
  if (param === undefined) return { kind: 'default' };
  if (typeof param !== 'object' || param === null) return { kind: 'literal', name, value: param };
  const bound: boolean = looksLikeBinding(param);
  if (bound && isJsonObject(param)) return { kind: 'bound', from: String(param['$from']) };
  return Object.keys(param).length === 0 ? { kind: 'literal', name, value: param } : null;
}

/**
 * Where each argument of the step at hand comes from, for whoever has to decide about it. What a host wrote, what a
 * tool's author gave as a default and what the requester said is trusted; what a model wrote is as long as it had read
 * nothing untrusted; what a tool returned is if its tool is and everything the tool was given.
 */
export function argumentProvenance(state: RunState): Readonly<Record<string, Provenance>> {
  const { current, planning } = state;
  const step = current === null ? undefined : planning.active?.plan.steps[current.index];
  if (current === null || planning.active === null || step === undefined) return {};
  const { active } = planning;
  const said = requestOf(state);
  const provenance: Record<string, Provenance> = {};
  for (const [pointer, leaf] of leavesOf(step.params ?? {}, current.args)) {
    provenance[pointer] = provenanceOf(state, active, said, leaf);
  }
  return provenance;
}

function provenanceOf(state: RunState, active: ActivePlan, said: Said, leaf: Leaf): Provenance {
  if (leaf.kind === 'default') return { source: SOURCE_DEFAULT, trusted: true };
  if (leaf.kind === 'bound') {
    const fact = committedFact(state, leaf.from);
    return { source: fact?.source ?? SOURCE_MODEL, trusted: fact?.trusted === true };
  }
  if (active.author === 'host') return { source: SOURCE_HOST, trusted: true };
  if (active.tainted) return { source: SOURCE_MODEL, trusted: false };
  const stated = statedAt(said, leaf.name, leaf.value) !== null;
  return { source: stated ? SOURCE_REQUEST : SOURCE_MODEL, trusted: true };
}

/** What the requester said, without the inputs in which others speak. */
export function requestOf({ intake, manifest }: RunState): Said {
  const others = manifest?.autonomy_boundary.observations.untrusted_inputs ?? [];
  return whatWasSaid(intake.goal?.statement ?? '', intake.answers, others);
}
