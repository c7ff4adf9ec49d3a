import type { KernelEnv } from '../../env.ts';
import { toolOfKey } from '../../state/call-state.ts';
import type { CurrentStep, RunState } from '../../state/run-state.ts';
import { probeTools } from '../plan/still-used.ts';
import { realTools } from '../plan/tools.ts';

/** The rungs on which a call has not been sent, or has been answered. */
const SETTLED: ReadonlySet<CurrentStep['rung']> = new Set(['intended', 'cleared', 'failed']);

/**
 * The first of these tools that a call uses which is under way, or which may have had its effect; null if there is none.
 * The tool's probes and its compensation belong to the call.
 */
export function unsettledTool(env: KernelEnv, state: RunState, among: ReadonlySet<string>): string | null {
  const { current, lanes = [], work } = state;
  const sent = lanes.map(({ step }) => step);
  if (current !== null && !SETTLED.has(current.rung)) sent.push(current);
  const called = [...sent.flatMap((call) => realTools(env, call)), ...Object.keys(work.doubts).map(toolOfKey)];
  const used = [...called, ...called.flatMap((tool) => probeTools(env, tool))];
  return used.find((tool) => among.has(tool)) ?? null;
}
