import type { AgentSpec } from '../../model/agent.ts';
import type { CompiledContext } from '../../model/context.ts';
import type { ContextSources } from '../../model/context-pack.ts';
import type { Hash } from '../../model/hash.ts';
import type { Clock } from '../../ports/clock.ts';
import { contextOf, type GivenContext } from './context-for.ts';
import { type MemoryOptions, memoryFor } from './memory-for.ts';

interface Told {
  readonly context: CompiledContext | ContextSources;
  readonly memory?: MemoryOptions;
  readonly clock: Clock;
}

/** What runs of this agent are told, and what of them is remembered. */
export function toldTo(
  agent: AgentSpec,
  { context, memory, clock }: Told,
  hash: Hash,
): GivenContext & ReturnType<typeof memoryFor> {
  return { ...contextOf(context, agent, clock.nowMs(), hash), ...memoryFor(memory) };
}
