/** A run that outlives its process: the first life stops somewhere, the next has only the journal. */
import type { Ids } from '../../../src/ports/ids.ts';
import { countingIds, REQUEST, type Rig, type RigOptions, rig } from '../rig.ts';

/** A process on the journal of an earlier one, at the time the earlier one had come to. */
export function nextLife(before: Rig, options: RigOptions): Rig {
  const life = rig({ ...options, world: { ...options.world, journal: before.journal, ids: otherIds() } });
  life.clock.advanceTo(before.clock.nowMs());
  return life;
}

/** Two processes never have the same name for themselves. */
function otherIds(): Ids {
  lives += 1;
  const life = lives;
  const ids = countingIds();
  return { next: (prefix) => ids.next(`${prefix}_later_${life}`) };
}
let lives = 0;

/** Runs until `tool` is called, and no further: it never answers and nobody drives the run any more. */
export async function diesAt(tool: string, options: RigOptions): Promise<Rig> {
  const reached = Promise.withResolvers<void>();
  const behaviour = options.tools?.[tool];
  const life = rig({
    ...options,
    tools: {
      ...options.tools,
      [tool]: {
        ...behaviour,
        execute: async (args, context) => {
          await behaviour?.execute?.(args, context);
          reached.resolve();
          return await new Promise<never>(() => undefined);
        },
      },
    },
  });
  void life.runtime.invoke(REQUEST);
  await reached.promise;
  return life;
}
