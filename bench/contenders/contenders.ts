import type { Contender } from '../harness/contender.ts';

export interface Entry {
  readonly label: string;
  /** Imports the contender on demand, so that a process holds the code of one contender only. */
  readonly load: () => Promise<Contender>;
}

/** Plan lengths whose verification is timed. The first and the last give the growth. */
export const PLAN_SIZES = [10, 100, 1_000, 10_000] as const;

export const verifyName = (size: number): string => `verify_${size}`;

const VERIFICATIONS: readonly (readonly [string, Entry])[] = PLAN_SIZES.map((size) => [
  verifyName(size),
  {
    label: `verify a plan of ${size.toLocaleString('en')} steps`,
    load: async () => (await import('./verify.ts')).verification(size),
  },
]);

/** All measurements by name, in the order of a round. */
export const CONTENDERS: ReadonlyMap<string, Entry> = new Map<string, Entry>([
  ['ambit', { label: 'Ambit, kernel, literal arguments', load: async () => (await import('./ambit.ts')).kernelCycle }],
  ['ambit_bound', { label: 'Ambit, kernel, bound arguments', load: async () => (await import('./ambit.ts')).boundCycle }],
  [
    'ambit_live',
    { label: 'Ambit, with gateway checks and critic', load: async () => (await import('./ambit.ts')).liveCycle },
  ],
  ['ambit_full', { label: 'Ambit, whole run', load: async () => (await import('./ambit.ts')).fullRun }],
  ['ambit_fold', { label: 'Ambit, the same events replayed', load: async () => (await import('./ambit.ts')).fold }],
  [
    'langgraph_chain',
    { label: 'LangGraph, chain of nodes', load: async () => (await import('./langgraph.ts')).graphChain() },
  ],
  [
    'langgraph_functional',
    { label: 'LangGraph, functional API', load: async () => (await import('./langgraph.ts')).functional() },
  ],
  ['mastra_chain', { label: 'Mastra, chain of steps', load: async () => (await import('./mastra.ts')).chain() }],
  ['mastra_loop', { label: 'Mastra, one step in a loop', load: async () => (await import('./mastra.ts')).loop() }],
  ['xstate', { label: 'XState, pure transition', load: async () => (await import('./xstate.ts')).xstate }],
  ['bare', { label: 'bare async loop', load: async () => (await import('./bare.ts')).bare }],
  ...VERIFICATIONS,
]);
