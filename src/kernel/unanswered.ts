import type { Stop } from '../model/stop.ts';
import type { RunState } from './state.ts';

/** What a run that waits for people ends with if nobody ever answers; null while it waits for nobody. */
export function endsUnanswered({ people }: RunState): Stop | null {
  const { question, escalation, gates } = people;
  if (question !== null) {
    const { code, fields, readings } = question;
    return { code, reason: 'question_open', detail: { fields, readings } };
  }
  if (escalation !== null) return escalation.stop;
  const [gate] = gates;
  if (gate === undefined) return null;
  return { code: 'CONFIRM_REQUIRED', reason: 'gate_open', detail: { gate: gate.name, step_id: gate.stepId } };
}
