import type { RunEvent } from '../../../model/events/event.ts';
import type { Frame } from '../../../model/events/frame.ts';
import { frameEvents } from '../../../model/events/frame-events.ts';
import { GATE_DECISION_RULES } from '../../../model/gate/gate.ts';
import type { Dispatched } from '../world/tool-world.ts';
import type { Law, Witness } from './law.ts';

/**
 * Effects as counted by the tools: no key has its effect twice; a tool without idempotency is not called twice for the
 * same thing; and no call is repeated under another key while its first outcome is in doubt. A person's decision or a
 * probe that found no effect permits a repetition.
 */
export function effectsOnce({ tools, frames }: Witness): Law {
  return {
    name: 'effects once',
    end: () => {
      const unabsorbed = tools.dispatches.filter(({ spec }) => spec.side_effect && spec.idempotency.kind === 'none');
      const asked = Map.groupBy(unabsorbed, ({ call }) => call.idempotency_key);
      for (const again of tools.effects.values()) {
        const problem = repeated(again, frames());
        if (problem !== null) return problem;
      }
      for (const again of asked.values()) {
        const problem = repeated(again, frames(), neverHappened);
        if (problem !== null) return problem;
      }
      const keys = new Map(tools.dispatches.map(({ call }) => [call.call_id, call.idempotency_key]));
      const answered = new Set(frames().flatMap(frameEvents).flatMap(answeredWell));
      const known: Settles = (event, { call }) => {
        const settled = settledBy(event);
        if (settled === null || keys.get(settled) !== call.idempotency_key) return false;
        return event.type === 'step_committed' || answered.has(settled);
      };
      const effects = [...tools.effects.values()].flat().sort((a, b) => a.at - b.at);
      for (const again of Map.groupBy(effects, ({ call }) => `${call.tool} ${call.args_hash}`).values()) {
        const problem = repeated(again, frames(), known);
        if (problem !== null) return problem;
      }
      return null;
    },
  };
}

/** Whether an event shows that the first call had its effect, so that a second call is intended. */
type Settles = (event: RunEvent, dispatched: Dispatched) => boolean;

/**
 * The call whose effect an event confirms: committed, about to be compensated, or itself a compensation. The last two
 * count only if the call was answered well or found by a probe.
 */
function settledBy(event: RunEvent): string | null {
  if (event.type === 'step_committed' || event.type === 'compensation_proposed') return event.call_id;
  if (event.type !== 'step_compensated' || event.settled.outcome !== 'rolled_back') return null;
  return event.settled.compensated_by;
}

function answeredWell(event: RunEvent): readonly string[] {
  const well = event.type === 'step_observed' && event.outcome === 'ok';
  const found = event.type === 'call_reconciled' && event.finding === 'happened';
  return well || found ? [event.call_id] : [];
}

/** A probe found no effect, so the call may be repeated. */
const neverHappened: Settles = (event, { call }) =>
  event.type === 'call_reconciled' && event.finding === 'did_not_happen' && event.call_id === call.call_id;

function repeated(dispatches: readonly Dispatched[], frames: readonly Frame[], settles?: Settles): string | null {
  for (const [index, next] of dispatches.entries()) {
    const before = dispatches[index - 1];
    if (before === undefined) continue;
    const between = frames.slice(before.seq, next.seq).flatMap(frameEvents);
    if (between.some((event) => personDecided(event) || settles?.(event, before) === true)) continue;
    const { name, idempotency } = next.spec;
    const what = `${name} (${idempotency.kind}) for ${next.call.step_id}`;
    return `${what} went out at frame ${before.seq} and again at frame ${next.seq}, and nobody decided that`;
  }
  return null;
}

function personDecided(event: RunEvent): boolean {
  if (event.type === 'escalation_decided') return true;
  return event.type === 'gate_decided' && GATE_DECISION_RULES[event.decision].consents;
}
