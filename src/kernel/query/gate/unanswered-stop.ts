import type { Stop } from '../../../model/fault/stop.ts';
import type { RunState } from '../../state/run-state.ts';

/** The stop of a waiting run if its question, escalation or gate is never answered. Null if the run waits for none. */
export function stopIfUnanswered(state: RunState): Stop | null {
  const { people } = state;
  const { question, escalation, gates } = people;
  if (question !== null) {
    const { code, fields, readings } = question;
    return { code, reason: 'question_open', detail: { fields, readings } };
  }
  if (escalation !== null) return escalation.stop;
  const [gate] = gates;
  if (gate === undefined) return lanesUnanswered(state);
  return { code: 'CONFIRM_REQUIRED', reason: 'gate_open', detail: { gate: gate.name, step_id: gate.stepId } };
}

/** A run whose lanes wait for people waits with them. */
function lanesUnanswered({ lanes }: RunState): Stop | null {
  const waiting = lanes?.filter(({ waits }) => waits !== null) ?? [];
  if (waiting.length === 0) return null;
  const detail = { lanes: waiting.map(({ laneContext }) => laneContext.lane_id) };
  return { code: 'CONFIRM_REQUIRED', reason: 'lane_waits', detail };
}
