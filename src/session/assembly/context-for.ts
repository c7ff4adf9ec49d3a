import type { AgentSpec } from '../../model/agent.ts';
import { CompiledContext } from '../../model/context.ts';
import { Fault } from '../../model/fault.ts';
import { deepFreeze } from '../../model/freeze.ts';
import { parse } from '../../model/parse.ts';

/** What a planner reads keeps where it came from, when, for whom and how long it is fresh, or it is not taken in. */
export function contextOf(context: unknown): CompiledContext {
  if (context === undefined || context === null) {
    throw new Fault('input_missing', 'a run cannot start without a compiled context', { path: '/world/context' });
  }
  return deepFreeze(parse(CompiledContext, context, 'input_invalid'));
}

export function emptyContext({ pins }: AgentSpec, now: number): CompiledContext {
  const { pack_pin, snapshot_pin } = pins;
  return { context_id: 'context_empty', pack_pin, snapshot_pin, items: [], compiled_at: now, memory_snapshot: null };
}
