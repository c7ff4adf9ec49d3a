import type { EvidenceRef } from '../../../model/gate/approval-packet.ts';
import { type Address, address } from '../../../model/json/hash.ts';
import { type Json, own } from '../../../model/json/json.ts';
import type { StepInput } from '../../../model/tool/step-input.ts';
import type { KernelEnv } from '../../env.ts';
import { assocGet } from '../../state/assoc.ts';
import type { Fact, RunState } from '../../state/run-state.ts';
import { vecGet } from '../../state/vec.ts';
import { collectBoundSteps } from '../plan/bound-steps.ts';
import { isObserved } from './committed.ts';

/**
 * The evidence behind the current step: the facts of its dependencies, bindings and inputs, and the newest evidence of each
 * type that a decision about its tool requires. It is sorted, so equal evidence has one hash.
 */
export function evidenceSnapshot(env: KernelEnv, state: RunState, tools: readonly string[]): readonly EvidenceRef[] {
  const found = new Map<string, EvidenceRef>();
  for (const stepId of requiredSteps(state)) {
    const known = factOf(state, stepId);
    if (known !== null) found.set(known.fact.evidenceId, refTo(env, known));
  }
  for (const { evidence_id, source, value } of state.current?.inputs ?? NO_INPUTS) {
    if (!found.has(evidence_id)) found.set(evidence_id, { evidence_id, source, address: address(env.hash, value) });
  }
  for (const evidenceId of requiredIds(env, state, tools)) {
    if (!found.has(evidenceId)) found.set(evidenceId, refById(env, state, evidenceId));
  }
  return [...found.values()].toSorted((a, b) => (a.evidence_id < b.evidence_id ? -1 : 1));
}

const NO_INPUTS: readonly StepInput[] = Object.freeze([]);

export const evidenceHash = (env: KernelEnv, evidence: readonly EvidenceRef[]): Address =>
  address(env.hash, evidence as unknown as Json);

interface Sourced {
  readonly tool: string;
  readonly fact: Fact;
}

const refTo = (env: KernelEnv, { tool, fact }: Sourced): EvidenceRef => ({
  evidence_id: fact.evidenceId,
  source: tool,
  address: address(env.hash, fact.value),
});

function requiredSteps({ current, planning }: RunState): ReadonlySet<string> {
  const active = planning.active;
  const stepIds = new Set<string>();
  if (current === null || active === null) return stepIds;
  for (const place of active.index.dependencies[current.index] ?? []) {
    const step = active.plan.steps[place];
    if (step !== undefined) stepIds.add(step.id);
  }
  collectBoundSteps(active.plan.steps[current.index]?.params ?? {}, stepIds);
  return stepIds;
}

function factOf({ planning, work }: RunState, stepId: string): Sourced | null {
  const place = planning.active?.index.indexOf.get(stepId);
  if (place !== undefined) {
    const fact = vecGet(work.progress, place)?.fact;
    const step = planning.active?.plan.steps[place];
    return fact == null || step === undefined ? null : { tool: step.tool, fact };
  }
  const carried = assocGet(work.carried.steps, stepId);
  return carried === undefined ? null : { tool: carried.step.tool, fact: carried.fact };
}

function requiredIds({ catalog }: KernelEnv, { work }: RunState, tools: readonly string[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { actions, evidence } of catalog.values()) {
    if (!tools.some((tool) => actions.includes(tool))) continue;
    for (const type of evidence) {
      const id = own(work.evidenceByType, type);
      if (id !== undefined) ids.add(id);
    }
  }
  return ids;
}

function refById(env: KernelEnv, state: RunState, evidenceId: string): EvidenceRef {
  const { planning, work } = state;
  const steps = planning.active?.plan.steps ?? [];
  for (const [place, step] of steps.entries()) {
    const fact = vecGet(work.progress, place)?.fact;
    if (fact != null && fact.evidenceId === evidenceId) return refTo(env, { tool: step.tool, fact });
  }
  return { evidence_id: evidenceId, source: isObserved(state, evidenceId) ? 'earlier_plan' : 'context', address: null };
}
