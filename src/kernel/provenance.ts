import type { Provenance } from '../model/evidence.ts';
import type { JsonObject } from '../model/json.ts';
import { SOURCE_DEFAULT, SOURCE_HOST, SOURCE_MODEL, SOURCE_REQUEST } from '../model/origin.ts';
import { committedFact } from './committed-fact.ts';
import { draftSource } from './draft/draft-source.ts';
import { inputsOfOthers, slotAt, strangerAt } from './inputs-of-others.ts';
import { type Leaf, leavesOf } from './leaves.ts';
import type { ActivePlan, RunState } from './state.ts';
import { type Said, statedAt, whatWasSaid } from './stated/request.ts';

/**
 * Where each argument of the step at hand comes from, for whoever has to decide about it. What a host wrote, what a
 * tool's author gave as a default and what the requester said is trusted; what a model wrote is as long as it had read
 * nothing untrusted; what a tool returned is if its tool is and everything the tool was given.
 */
export function argumentProvenance(state: RunState, args: JsonObject): Readonly<Record<string, Provenance>> {
  const { current, planning } = state;
  const step = current === null ? undefined : planning.active?.plan.steps[current.index];
  if (planning.active === null || step === undefined) return {};
  const said = requestOf(state);
  const provenance: Record<string, Provenance> = {};
  for (const [pointer, leaf] of leavesOf(step.params ?? {}, args)) {
    if (leaf.kind === 'drafted') {
      const source = draftSource(state, planning.active, step.id, pointer, leaf.draft);
      provenance[pointer] = { source: source ?? SOURCE_MODEL, trusted: source === null, drafted: true };
      continue;
    }
    const stranger = strangerAt(state, planning.active, step.id, pointer, leaf);
    provenance[pointer] =
      stranger === null
        ? provenanceOf(state, planning.active, said, leaf, slotOf(planning.active, step.id, pointer))
        : { source: stranger, trusted: false };
  }
  return provenance;
}

function provenanceOf(
  state: RunState,
  { author }: ActivePlan,
  said: Said,
  leaf: Exclude<Leaf, { readonly kind: 'drafted' }>,
  slot: string | null,
): Provenance {
  if (leaf.kind === 'default') return { source: SOURCE_DEFAULT, trusted: true };
  if (leaf.kind === 'bound') {
    const fact = committedFact(state, leaf.from);
    return { source: fact?.source ?? SOURCE_MODEL, trusted: fact?.trusted === true };
  }
  if (author === 'host') return { source: slot === null ? SOURCE_HOST : SOURCE_REQUEST, trusted: true };
  const stated = statedAt(said, leaf.name, leaf.value) !== null;
  return { source: stated ? SOURCE_REQUEST : SOURCE_MODEL, trusted: true };
}

/** The input that a plan of the host holds at a place, or null. */
export const slotOf = ({ filled }: ActivePlan, stepId: string, pointer: string): string | null =>
  filled === null ? null : slotAt(filled, stepId, pointer);

/** What the requester said, without the inputs in which others speak. */
export const requestOf = (state: RunState): Said =>
  whatWasSaid(state.intake.goal?.statement ?? '', state.intake.answers, inputsOfOthers(state));
