import type { FactsStore, KeptFacts } from '../../ports/store/facts-store.ts';

/** Keeps facts of runs as long as the process lives. */
export function memoryFacts(): FactsStore {
  const kept = new Map<string, KeptFacts>();
  return {
    read: async (runIds) => runIds.flatMap((id) => kept.get(id) ?? []),
    write: async (facts) => {
      for (const each of facts) kept.set(each.run_id, each);
    },
    close: async () => undefined,
  };
}
