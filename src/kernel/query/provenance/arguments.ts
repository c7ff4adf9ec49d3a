import type { Provenance } from '../../../model/evidence/evidence.ts';
import { SOURCE_DEFAULT, SOURCE_HOST, SOURCE_MODEL, SOURCE_REQUEST } from '../../../model/evidence/origin.ts';
import type { JsonObject } from '../../../model/json/json.ts';
import type { ActivePlan, RunState } from '../../state/run-state.ts';
import { committedFact } from '../evidence/committed.ts';
import { draftSource, slotAt, untrustedInputs, untrustedSourceAt } from './inputs.ts';
import { type ArgumentLeaf, argumentLeaves } from './leaves.ts';
import { indexRequest, type RequestStatements, type StatingSentences, statedAt } from './stated-request.ts';

/**
 * The source of each argument of the current step, for its approver. Values of the host, tool defaults and the request
 * are trusted. Values of a model are trusted unless it has read untrusted data. A tool result is trusted if its tool
 * and the tool's inputs are.
 */
export function argumentProvenance(state: RunState, args: JsonObject): Readonly<Record<string, Provenance>> {
  const { current, planning } = state;
  const step = current === null ? undefined : planning.active?.plan.steps[current.index];
  if (planning.active === null || step === undefined) return {};
  const statements = requestStatements(state);
  const provenance: Record<string, Provenance> = {};
  for (const [pointer, leaf] of argumentLeaves(step.params ?? {}, args)) {
    if (leaf.kind === 'drafted') {
      const source = draftSource(state, planning.active, step.id, pointer, leaf.draft);
      provenance[pointer] = { source: source ?? SOURCE_MODEL, trusted: source === null, drafted: true };
      continue;
    }
    const untrustedSource = untrustedSourceAt(state, planning.active, step.id, pointer, leaf);
    provenance[pointer] =
      untrustedSource === null
        ? provenanceOf(state, planning.active, statements, leaf, slotOf(planning.active, step.id, pointer))
        : { source: untrustedSource, trusted: false };
  }
  return provenance;
}

function provenanceOf(
  state: RunState,
  { author }: ActivePlan,
  statements: RequestStatements,
  leaf: Exclude<ArgumentLeaf, { readonly kind: 'drafted' }>,
  slot: string | null,
): Provenance {
  if (leaf.kind === 'default') return { source: SOURCE_DEFAULT, trusted: true };
  if (leaf.kind === 'bound') {
    const fact = committedFact(state, leaf.from);
    return { source: fact?.source ?? SOURCE_MODEL, trusted: fact?.trusted === true };
  }
  if (author === 'host') return { source: slot === null ? SOURCE_HOST : SOURCE_REQUEST, trusted: true };
  const isStated = statedAt(statements, leaf.name, leaf.value) !== null;
  return { source: isStated ? SOURCE_REQUEST : SOURCE_MODEL, trusted: true };
}

/** The input that a host plan placed at this pointer, or null. */
export const slotOf = ({ filled }: ActivePlan, stepId: string, pointer: string): string | null =>
  filled === null ? null : slotAt(filled, stepId, pointer);

/** The requester's own statements, earlier messages included, without inputs from other authors. */
export const requestStatements = (state: RunState, kept?: StatingSentences): RequestStatements => {
  const { goal, answers, history } = state.intake;
  return indexRequest(goal?.statement ?? '', answers, untrustedInputs(state), history?.said, kept);
};
