import type { RunEvent } from '../../../model/event.ts';
import type { Frame } from '../../../model/frame.ts';
import type { Dispatched } from '../world/tool-world.ts';
import type { Law, Witness } from './law.ts';

/**
 * Counted by the tools themselves: no key has its effect twice, and a tool that cannot absorb a repetition is not
 * asked twice for the same thing, unless a person decided so in between.
 */
export function effectsOnce({ tools, frames }: Witness): Law {
  return {
    name: 'effects once',
    end: () => {
      const unabsorbed = tools.dispatches.filter(({ spec }) => spec.side_effect && spec.idempotency.kind === 'none');
      const asked = Map.groupBy(unabsorbed, ({ call }) => call.idempotency_key);
      for (const again of [...tools.effects.values(), ...asked.values()]) {
        const problem = repeated(again, frames());
        if (problem !== null) return problem;
      }
      return null;
    },
  };
}

function repeated(dispatches: readonly Dispatched[], frames: readonly Frame[]): string | null {
  for (const [index, next] of dispatches.entries()) {
    const before = dispatches[index - 1];
    if (before === undefined || personDecided(frames, before.seq, next.seq)) continue;
    const { name, idempotency } = next.spec;
    const what = `${name} (${idempotency.kind}) for ${next.call.step_id}`;
    return `${what} went out at frame ${before.seq} and again at frame ${next.seq}, and nobody decided that`;
  }
  return null;
}

/** Frames after `from`, up to the one that asked for the second dispatch. */
function personDecided(frames: readonly Frame[], from: number, to: number): boolean {
  return frames.slice(from, to).some((frame) => {
    const events = JSON.parse(frame.events) as readonly RunEvent[];
    return events.some(
      (event) =>
        (event.type === 'escalation_decided' && event.by !== '') ||
        (event.type === 'gate_decided' && event.decision === 'approve' && event.approver !== ''),
    );
  });
}
