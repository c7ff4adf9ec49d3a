import type { RunEvent } from '../../../model/event.ts';
import type { Frame } from '../../../model/frame.ts';
import type { Dispatched } from '../world/tool-world.ts';
import type { Law, Witness } from './law.ts';

/**
 * Counted by the tools themselves: no key has its effect twice, a tool that cannot absorb a repetition is not asked
 * twice for the same thing, and nothing is done again, under whatever name, while it is in doubt whether it was done;
 * unless a person decided so in between, or a probe saw that it was not done.
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
      const answered = new Set(frames().flatMap(eventsOf).flatMap(answeredWell));
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

/**
 * The first call is known to have had its effect, by whichever attempt under its key: a second is then somebody's plan
 * and no mistake.
 */
type Settles = (event: RunEvent, dispatched: Dispatched) => boolean;

/**
 * The call that an event says has had its effect: it is committed, or it is about to be taken back, or it has taken
 * something back. The last two are believed only where the call has come back well or was found.
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

/** A probe has seen that there is nothing: what was asked for may be asked for. */
const neverHappened: Settles = (event, { call }) =>
  event.type === 'call_reconciled' && event.finding === 'did_not_happen' && event.call_id === call.call_id;

function repeated(dispatches: readonly Dispatched[], frames: readonly Frame[], settles?: Settles): string | null {
  for (const [index, next] of dispatches.entries()) {
    const before = dispatches[index - 1];
    if (before === undefined) continue;
    const between = frames.slice(before.seq, next.seq).flatMap(eventsOf);
    if (between.some((event) => personDecided(event) || settles?.(event, before) === true)) continue;
    const { name, idempotency } = next.spec;
    const what = `${name} (${idempotency.kind}) for ${next.call.step_id}`;
    return `${what} went out at frame ${before.seq} and again at frame ${next.seq}, and nobody decided that`;
  }
  return null;
}

const eventsOf = (frame: Frame): readonly RunEvent[] => JSON.parse(frame.events) as readonly RunEvent[];

function personDecided(event: RunEvent): boolean {
  if (event.type === 'escalation_decided') return event.by !== '';
  return event.type === 'gate_decided' && event.decision === 'approve' && event.approver !== '';
}
