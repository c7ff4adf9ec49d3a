import type { RunEvent } from '../../../model/event.ts';
import type { Frame } from '../../../model/frame.ts';
import type { Dispatched } from '../world/tool-world.ts';
import type { Law, Witness } from './law.ts';

/**
 * Counted by the tools themselves: no key has its effect twice, and a tool that cannot absorb a repetition is not
 * asked twice for the same thing unless a person decided so in between.
 */
export function effectsOnce({ tools, frames }: Witness): Law {
  return {
    name: 'effects once',
    end: () => {
      const byKey = Map.groupBy(tools.dispatches, ({ call }) => call.idempotency_key);
      for (const [key, dispatches] of byKey) {
        const problem = repeated(tools.effects.get(key) ?? [], dispatches, frames());
        if (problem !== null) return problem;
      }
      return null;
    },
  };
}

function repeated(
  effects: readonly number[],
  dispatches: readonly Dispatched[],
  frames: readonly Frame[],
): string | null {
  const [first, ...again] = dispatches;
  if (first === undefined || !first.spec.side_effect) return null;
  const { kind } = first.spec.idempotency;
  const what = `${first.spec.name} (${kind}) for ${first.call.step_id}`;
  if (kind === 'key' && effects.length > 1) return `${what} had its effect ${effects.length} times`;
  if (kind !== 'none') return null;
  let before = first;
  for (const next of again) {
    if (!personDecided(frames, before.seq, next.seq)) {
      return `${what} was dispatched at frame ${before.seq} and again at frame ${next.seq}, and nobody decided that`;
    }
    before = next;
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
