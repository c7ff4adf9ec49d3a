/** Helpers for runs that outlive their process: the first process stops, and the next one has only the journal. */
import type { Ids } from '../../../src/ports/clock.ts';
import { countingIds, REQUEST, type Rig, type RigOptions, rig } from '../rig.ts';

/** A process on the journal and at the clock time of an earlier one. */
export function restartProcess(before: Rig, options: RigOptions): Rig {
  const life = rig({ ...options, world: { ...options.world, journal: before.journal, ids: otherIds() } });
  life.clock.advanceTo(before.clock.nowMs());
  return life;
}

/** Ids that no other process uses. */
function otherIds(): Ids {
  lives += 1;
  const life = lives;
  const ids = countingIds();
  return { next: (prefix) => ids.next(`${prefix}_later_${life}`) };
}
let lives = 0;

/** Runs until `tool` is called; the tool never answers, and the run goes no further. */
export async function crashDuringCall(tool: string, options: RigOptions): Promise<Rig> {
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
