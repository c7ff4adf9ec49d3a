import { createHash } from 'node:crypto';
import { canonicalize } from '../../src/model/canonical.ts';
import type { Job } from './orders.ts';
import type { Suite, Task } from './suite.ts';
import { openWorld, type World } from './world.ts';

/** What became of the world in which a task was done, whoever says that it is done. */
export interface Judgement {
  /** The world is in exactly the state that was recorded. */
  readonly right: boolean;
  /** Changes that are in the world. */
  readonly writes: number;
  /** Deeds that are there once more than they were asked for. */
  readonly duplicated: number;
  /** Deeds that were asked for and are not there. */
  readonly lost: number;
}

/** Looks at worlds and at nothing else. It is no part of the processes that are killed. */
export interface Judge {
  judge(folder: string, job: Job): Judgement;
  close(): void;
}

export function openJudge(suites: readonly Suite[]): Judge {
  const worlds = new Map<string, World>();
  const hashes = new Map<string, string>();
  const hashOf = (world: World, realm: string, name: string): string => {
    // Most worlds of a task end with the very same changes, and to write a whole database down takes its time.
    const known =
      hashes.get(name) ??
      createHash('sha256')
        .update(canonicalize(world.state(realm)))
        .digest('hex');
    hashes.set(name, known);
    return known;
  };
  return {
    judge: (folder, job) => {
      const suite = suites.find(({ name }) => name === job.suite);
      const task = suite?.tasks.find(({ id }) => id === job.task);
      if (suite === undefined || task === undefined) throw new Error(`there is no task ${job.task}`);
      const path = `${folder}/${suite.name}.world.db`;
      const world = worlds.get(path) ?? openWorld(path, suite.world);
      worlds.set(path, world);
      const deeds = world.deeds(job.realm);
      const changes = `${suite.name} ${JSON.stringify(deeds.map(({ patch }) => patch))}`;
      const counts = countDeeds(
        suite,
        task,
        deeds.map(({ action }) => action),
      );
      const writes = deeds.filter(({ patch }) => patch.length > 0).length;
      return { ...counts, writes, right: hashOf(world, job.realm, changes) === task.finalHash };
    },
    close: () => {
      for (const world of worlds.values()) world.close();
    },
  };
}

function countDeeds(
  { tools }: Suite,
  { actions }: Task,
  done: readonly number[],
): Pick<Judgement, 'duplicated' | 'lost'> {
  const writing = new Set(tools.filter(({ writes }) => writes).map(({ name }) => name));
  let [duplicated, lost] = [0, 0];
  for (const [place, action] of actions.entries()) {
    const wanted = writing.has(action.name) && (!action.is_error || action.state_patch.length > 0) ? 1 : 0;
    const times = done.filter((other) => other === place).length;
    duplicated += Math.max(0, times - wanted);
    lost += Math.max(0, wanted - times);
  }
  return { duplicated, lost };
}
