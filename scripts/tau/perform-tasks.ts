import { mkdirSync } from 'node:fs';
import { type Prng, prng } from '../../src/testing/simulator/prng.ts';
import { bundleWorker } from './bundle-worker.ts';
import { type Judgement, openJudge } from './judge.ts';
import type { Finished, Job } from './orders.ts';
import type { Suite, Task } from './suite.ts';
import { KINDS, type PlantedFault } from './tools.ts';
import { startWorkerProcess, WORKER, type WorkerProcess } from './worker-process.ts';

export interface CheckOptions {
  /** The folder with the suites, and its content. */
  readonly data: string;
  readonly suites: readonly Suite[];
  /** Folder for journals and worlds. */
  readonly folder: string;
  readonly kills: number;
  readonly seed: number;
  /** Number of tasks at a time, each in its own process. */
  readonly abreast: number;
  readonly plant: PlantedFault | null;
  readonly progress: (line: string) => void;
}

/** One execution of a task: the state of its world, the outcome of its runs, and the number of kills. */
export interface PerformedTask extends Judgement, Pick<Finished, 'endings' | 'escalations' | 'unlike'> {
  readonly job: Job;
  readonly kills: number;
  /** Calls of tools with neither key nor probe that a kill left between intent and observation. */
  readonly doubts: number;
}

/** Largest number of kills per execution of a task. */
const KILLS_PER_JOB_MAX = 3;

interface Assignment {
  readonly job: Job;
  readonly kills: number;
  /** Decides where and when the process is killed, independent of scheduling. */
  readonly chance: Prng;
}

/** Performs every task once, with its share of the kills, and repeats tasks until all kills are used. */
export async function performTasks(shift: CheckOptions): Promise<readonly PerformedTask[]> {
  const done: PerformedTask[] = [];
  const chance = prng(shift.seed);
  const judge = openJudge(shift.suites);
  const program = shift.kills > 0 ? await bundleWorker(shift.folder) : WORKER;
  // Only a process that exits normally writes the compile cache, so one is started and released first.
  if (shift.kills > 0) await startWorkerProcess(program, shift.data, cacheFolder(shift)).release();
  const pool = openPool(shift, program);
  try {
    let owed = shift.kills;
    for (let round = 0; round === 0 || owed > 0; round += 1) {
      const queue = assignmentsOf(shift, chance, round, owed);
      await Promise.all(
        Array.from({ length: Math.min(shift.abreast, queue.length) }, async (_, place) => {
          const folder = `${shift.folder}/${place}`;
          mkdirSync(folder, { recursive: true });
          for (let assignment = queue.shift(); assignment !== undefined; assignment = queue.shift()) {
            const { finished, kills, doubts } = await performTask(pool, shift, folder, assignment);
            const { endings, escalations, unlike } = finished;
            owed -= kills;
            done.push({
              job: assignment.job,
              ...judge.judge(folder, assignment.job),
              endings,
              escalations,
              unlike,
              kills,
              doubts,
            });
            shift.progress(`${done.length} tasks done, ${shift.kills - owed} of ${shift.kills} kills`);
          }
        }),
      );
    }
    return done;
  } finally {
    judge.close();
    await pool.close();
  }
}

/** The first round performs every task, later rounds as many as needed. Kills are spread evenly over a round. */
function assignmentsOf({ suites, kills }: CheckOptions, chance: Prng, round: number, owed: number): Assignment[] {
  const jobs = shuffled(
    chance,
    suites.flatMap((suite) => suite.tasks.map((task, at) => jobOf(suite, task, at, round))),
  );
  const each = Math.min(KILLS_PER_JOB_MAX, Math.ceil(owed / jobs.length));
  const wanted = round === 0 ? jobs : jobs.slice(0, Math.ceil(owed / each));
  let left = kills === 0 ? 0 : owed;
  return wanted.map((job) => {
    const share = Math.min(each, left);
    left -= share;
    return { job, kills: share, chance: prng(chance.int(0, SEED_MAX)) };
  });
}

const SEED_MAX = 2 ** 31;

const jobOf = ({ name }: Suite, { id }: Task, at: number, round: number): Job => ({
  realm: `${name}.${at}.${round}`,
  suite: name,
  task: id,
  rotation: (at + round) % KINDS.length,
});

function shuffled<T>(chance: Prng, items: readonly T[]): T[] {
  const mixed = [...items];
  for (let last = mixed.length - 1; last > 0; last -= 1) {
    const other = chance.int(0, last);
    const [a, b] = [mixed[last], mixed[other]];
    if (a !== undefined && b !== undefined) [mixed[last], mixed[other]] = [b, a];
  }
  return mixed;
}

interface TaskResult {
  readonly finished: Finished;
  readonly kills: number;
  readonly doubts: number;
}

/** Performs one task. After a kill, the next process gets the same order and continues. */
async function performTask(
  pool: WorkerPool,
  { plant }: CheckOptions,
  folder: string,
  { job, kills: allotted, chance }: Assignment,
): Promise<TaskResult> {
  const doubts = new Set<string>();
  for (let kills = 0; ; kills += 1) {
    const kill = kills < allotted ? pool.aim(chance, job) : NO_KILL;
    const life = pool.take();
    const attempt = await life.execute({ job, folder, dieAt: kill.dieAt, plant }, kill.afterMs);
    if (attempt.doubt !== null) doubts.add(attempt.doubt);
    if (attempt.finished === null) {
      pool.discard(life);
      continue;
    }
    pool.giveBack(life);
    if (kills === 0) pool.note(job, attempt.tookMs);
    return { finished: attempt.finished, kills, doubts: doubts.size };
  }
}

/** When a process dies: at a numbered crash point, or at a time from outside. */
interface PlannedKill {
  readonly dieAt: number | null;
  readonly afterMs: number | null;
}
const NO_KILL: PlannedKill = Object.freeze({ dieAt: null, afterMs: null });

/** A pool of started processes, because starting one takes longer than a task. */
interface WorkerPool {
  take(): WorkerProcess;
  giveBack(life: WorkerProcess): void;
  discard(life: WorkerProcess): void;
  /** Records the duration of an undisturbed task. */
  note(job: Job, tookMs: number): void;
  aim(chance: Prng, job: Job): PlannedKill;
  close(): Promise<void>;
}

/** Approximate number of crash points per run and per call. */
const PLACES_PER_RUN = 8;
const PLACES_PER_CALL = 7;
const PLACE_MS_AT_FIRST = 3;

const cacheFolder = ({ folder }: CheckOptions): string => `${folder}/compiled`;

function openPool(shift: CheckOptions, program: string): WorkerPool {
  const { data, abreast, kills, suites } = shift;
  const idle: WorkerProcess[] = [];
  const alive = new Set<WorkerProcess>();
  let isClosed = false;
  const tasks = suites.flatMap((suite) => suite.tasks.map((task) => [`${suite.name} ${task.id}`, task] as const));
  const lengths = new Map(
    tasks.map(([name, { actions }]) => [name, PLACES_PER_RUN + PLACES_PER_CALL * actions.length]),
  );
  const placesOf = ({ suite, task }: Job): number => lengths.get(`${suite} ${task}`) ?? PLACES_PER_RUN;
  // The duration of undisturbed tasks shows the speed of the machine.
  let placeMs = PLACE_MS_AT_FIRST;
  const startWorker = (): WorkerProcess => {
    const life = startWorkerProcess(program, data, cacheFolder(shift));
    alive.add(life);
    return life;
  };
  return {
    take: () => {
      // The processes that the end of the check kills must not be replaced.
      if (isClosed) throw new Error('the check has ended');
      if (kills > 0) while (idle.length < abreast) idle.push(startWorker());
      return idle.shift() ?? startWorker();
    },
    giveBack: (life) => idle.unshift(life),
    discard: (life) => alive.delete(life),
    note: (job, tookMs) => {
      placeMs = (placeMs * 3 + tookMs / placesOf(job)) / 4;
    },
    aim: (chance, job) => {
      const places = placesOf(job);
      if (chance.chance(0.5)) return { dieAt: chance.int(1, places), afterMs: null };
      return { dieAt: null, afterMs: chance.next() * places * placeMs };
    },
    close: async () => {
      isClosed = true;
      await Promise.all([...alive].map((life) => life.end()));
    },
  };
}
