import { Fault, type FaultCode } from '../model/fault.ts';
import { Name } from '../model/name.ts';
import type { RunState } from './state.ts';

export type PersonalDecision = 'gate_decided' | 'escalation_decided' | 'budget_extended' | 'run_resumed';

/** What only a person can decide, and what it is called when nobody has. */
const DECISIONS: Readonly<Record<PersonalDecision, { readonly what: string; readonly code: FaultCode }>> = {
  gate_decided: { what: 'a gate can only be decided', code: 'approver_missing' },
  escalation_decided: { what: 'an escalation can only be decided', code: 'approver_missing' },
  budget_extended: { what: 'a budget can only be extended', code: 'operator_required' },
  run_resumed: { what: 'a paused session can only be resumed', code: 'operator_approval_required' },
};

export const isPersonalDecision = (type: unknown): type is PersonalDecision =>
  typeof type === 'string' && Object.hasOwn(DECISIONS, type);

/** Blanks, marks and prose name nobody: whoever reads the record has to be able to ask the person. */
export function assertNamed(decision: PersonalDecision, name: unknown): void {
  if (Name.safeParse(name).success) return;
  const { what, code } = DECISIONS[decision];
  throw new Fault(code, `${what} by a named person: one name without blanks, such as ana or ana@example.com`);
}

/** A person is named, and it is not the one for whom the run acts: nobody approves what they asked for themselves. */
export function assertDecider(state: RunState, decision: PersonalDecision, name: string): void {
  assertNamed(decision, name);
  if (name !== state.intake.identity?.actor) return;
  const { what } = DECISIONS[decision];
  throw new Fault('permission_denied', `${what} by somebody else than ${name}, for whom the run acts`);
}
