import { createHash } from 'node:crypto';
import { canonicalize } from '../../src/model/json/canonical.ts';
import type { Job } from './orders.ts';
import type { Suite, Task } from './suite.ts';
import { openWorld, type World } from './world.ts';

/** The state of a task's world, independent of the run's own report. */
export interface Judgement {
  /** The world is in exactly the recorded state. */
  readonly right: boolean;
  /** Number of changes in the world. */
  readonly writes: number;
  /** Changes that happened more often than requested. */
  readonly duplicated: number;
  /** Changes that were requested and did not happen. */
  readonly lost: number;
  /** Changes that the task requests once more with equal arguments. */
  readonly repeats: number;
}

/** Judges tasks by their worlds alone, outside the processes that are killed. */
export interface Judge {
  judge(folder: string, job: Job): Judgement;
  close(): void;
}

export function openJudge(suites: readonly Suite[]): Judge {
  const worlds = new Map<string, World>();
  const hashes = new Map<string, string>();
  const hashOf = (world: World, realm: string, name: string): string => {
    // Cached, because most worlds of a task end with the same changes and serialising a database is slow.
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
      if (suite === undefined || task === undefined) throw new Error(`unknown task ${job.task}`);
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
): Pick<Judgement, 'duplicated' | 'lost' | 'repeats'> {
  const writing = new Set(tools.filter(({ writes }) => writes).map(({ name }) => name));
  const wantedCalls = new Set<string>();
  let [duplicated, lost, repeats] = [0, 0, 0];
  for (const [place, action] of actions.entries()) {
    const wanted = writing.has(action.real.tool) && (!action.is_error || action.state_patch.length > 0) ? 1 : 0;
    const times = done.filter((other) => other === place).length;
    duplicated += Math.max(0, times - wanted);
    lost += Math.max(0, wanted - times);
    const call = canonicalize([action.real.tool, action.real.args]);
    if (wanted > 0 && wantedCalls.has(call)) repeats += 1;
    if (wanted > 0) wantedCalls.add(call);
  }
  return { duplicated, lost, repeats };
}
