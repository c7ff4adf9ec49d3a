import { Fault } from '../model/fault.ts';
import type { Json } from '../model/json.ts';
import { overBy } from './doubt.ts';
import type { KernelEnv } from './env.ts';
import { observeLate } from './observe-late.ts';
import type { OpenEscalation } from './people-state.ts';
import type { Reaction } from './reaction.ts';
import type { CurrentStep, RunState } from './state.ts';
import { walk } from './walk.ts';

/**
 * A person has found out that the call in doubt was made, and what it came to. It is not made again: what they say is verified
 * like the answer that was lost, by the schema of the tool and by its probe if it has one, and their name stands by it.
 */
export function takeAsHappened(
  env: KernelEnv,
  state: RunState,
  { stop }: OpenEscalation,
  result: Json,
  by: string,
): Reaction {
  const { current } = state;
  if (stop.reason !== 'call_in_doubt' || !isOf(current, stop.detail?.['call_id'])) {
    throw refused('only a call in doubt that this very step has sent can be said to have happened');
  }
  const until = overBy(current.call);
  if (state.now < until) {
    throw refused(`${current.tool} may still be under way: what became of it can be said from ${until} on`);
  }
  const [problem] = env.tools.checkOutput(current.tool, result);
  if (problem !== undefined)
    throw refused(`${current.tool} does not answer like that: ${problem.path} ${problem.message}`);
  // However it came back, it was sent: that is where the way to what it came to begins.
  const sent: RunState = { ...state, current: { ...current, rung: 'attempted' } };
  const there = walk(env, sent, 'action_selection', 'tool_eligibility', 'tool_invocation');
  return observeLate(env, there, current, { raw: result, detail: `said by ${by}` });
}

type SentStep = CurrentStep & { readonly call: NonNullable<CurrentStep['call']> };

const isOf = (current: CurrentStep | null, callId: unknown): current is SentStep =>
  current?.call != null && current.call.callId === callId;

const refused = (message: string): Fault => new Fault('input_invalid', message, { path: '/happened' });
