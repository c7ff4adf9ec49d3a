/** A bench for runs with memory: observations are kept for a day. */
import { memoryStore } from '../../../src/adapters/memory/memory-store.ts';
import type { MemoryOptions } from '../../../src/agent/memory.ts';
import type { EventOf, EventType, RunEvent } from '../../../src/model/events/event.ts';
import type { Plan } from '../../../src/model/plan/plan.ts';
import { type AgentSpec, parseAgent } from '../../../src/model/run/agent.ts';
import type { MemoryStore } from '../../../src/ports/store/memory-store.ts';
import { planOf, type Rig, type RigOptions, rig } from '../rig.ts';

export const DAY_MS = 86_400_000;

export const KEEP: MemoryOptions['keep'] = {
  order: { ttlMs: DAY_MS, scope: 'all' },
  policy: { ttlMs: DAY_MS, scope: 'all' },
  done: { ttlMs: DAY_MS, scope: 'all' },
};

export const TOOLS: NonNullable<RigOptions['tools']> = {
  look: { produces: ['order'], execute: () => ({ id: 'ord_1', total: 42 }) },
  rules: { produces: ['policy'], execute: () => ({ limit: 100 }) },
  finish: { produces: ['done'], execute: () => ({ ok: true }) },
};

export const PLAN: Plan = planOf([
  { id: 'a', tool: 'look' },
  { id: 'b', tool: 'rules' },
  { id: 'c', tool: 'finish', depends_on: ['a', 'b'] },
]);

/** An agent whose boundary has this memory setting. */
export const withMemorySetting =
  (persistent_memory: 'refused' | 'approval' | 'proposed') =>
  (agent: AgentSpec): AgentSpec =>
    parseAgent({
      ...agent,
      boundary: { ...agent.boundary, state_writes: { ...agent.boundary.state_writes, persistent_memory } },
    });

/** The entries of KEEP that these tools produce. */
function keptOf(tools: NonNullable<RigOptions['tools']>): MemoryOptions['keep'] {
  const produced = Object.values(tools).flatMap(({ produces = [] }) => produces);
  return Object.fromEntries(Object.entries(KEEP).filter(([type]) => produced.includes(type)));
}

export interface Remembering {
  readonly bench: Rig;
  readonly store: MemoryStore;
}

export function rememberingRig(options: RigOptions & Partial<MemoryOptions> = {}): Remembering {
  const { store = memoryStore(), keep = keptOf(options.tools ?? TOOLS), ...rest } = options;
  const bench = rig({
    tools: TOOLS,
    plans: [PLAN],
    agent: withMemorySetting('proposed'),
    ...rest,
    world: { memory: { store, keep }, ...rest.world },
  });
  return { bench, store };
}

export const ofType = <T extends EventType>(events: readonly RunEvent[], type: T): readonly EventOf<T>[] =>
  events.filter((event) => event.type === type) as unknown as readonly EventOf<T>[];
