import type { GateProgress } from '../../../model/gate/gate-terms.ts';
import type { JsonObject } from '../../../model/json/json.ts';
import type { OpenGate, OpenGatePart } from '../../state/people-state.ts';
import type { RunState } from '../../state/run-state.ts';

/** The person whose approval completed the quorum of a gate; null while the gate is undecided. */
const decidedBy = ({ deciders, approvers }: OpenGatePart): string | null =>
  approvers[deciders.quorum - 1]?.name ?? null;

export const isUndecided = (part: OpenGatePart): boolean => decidedBy(part) === null;

/** The gate without approvals by keys that are no longer valid. An event can remove an approval, never add one. */
export function withoutDismissed(gate: OpenGate, dismissed: readonly string[] = []): OpenGate {
  if (dismissed.length === 0) return gate;
  const gates = gate.gates.map((part) => ({
    ...part,
    approvers: part.approvers.filter(({ name }) => !dismissed.includes(name)),
  }));
  return { ...gate, gates };
}

/** The state with one open gate changed. */
export function withGate(state: RunState, gate: OpenGate, changed: OpenGate): RunState {
  const gates = state.people.gates.map((open) => (open === gate ? changed : open));
  return { ...state, people: { ...state.people, gates } };
}

/** All gates of a request, each with its decision. */
export const gateProgress = ({ gates }: OpenGate): readonly GateProgress[] =>
  gates.map((part) => ({ name: part.name, decided_by: decidedBy(part) }));

/** The gates of a request in the detail of a stop: the first undecided one, and all of them if there are several. */
export function gateDetail({ name, gates, stepId }: OpenGate): JsonObject {
  const waiting = gates.filter(isUndecided).map((part) => part.name);
  const about = { gate: waiting[0] ?? name, step_id: stepId };
  return waiting.length > 1 ? { ...about, gates: waiting } : about;
}
