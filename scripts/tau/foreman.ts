import { mkdirSync } from 'node:fs';
import { type Prng, prng } from '../../src/testing/simulator/prng.ts';
import { type Judgement, openJudge } from './judge.ts';
import { type Life, startLife } from './life.ts';
import type { Finished, Job } from './orders.ts';
import type { Suite, Task } from './suite.ts';
import { KINDS, type Plant } from './tools.ts';

export interface Shift {
  /** The folder with the suites, and what is in it. */
  readonly data: string;
  readonly suites: readonly Suite[];
  /** Where journals and worlds are made. */
  readonly folder: string;
  readonly kills: number;
  readonly seed: number;
  /** Tasks that are done at the same time, each by a process of its own. */
  readonly abreast: number;
  readonly plant: Plant | null;
  readonly progress: (line: string) => void;
}

/** One task, done once: what the world says, what the run said, and what was done to its processes meanwhile. */
export interface Done extends Judgement, Pick<Finished, 'endings' | 'escalations' | 'unlike'> {
  readonly job: Job;
  readonly kills: number;
  /** Calls of tools with neither key nor probe that a kill left between their intent and their observation. */
  readonly doubts: number;
}

/** Kills that one doing of a task is good for; a task that has got through these is done another time. */
const KILLS_PER_JOB_MAX = 3;

interface Errand {
  readonly job: Job;
  readonly kills: number;
  /** Where and when: the same whichever process happens to be free. */
  readonly chance: Prng;
}

/** Does every task once, unharmed or killed as often as it falls to it, and tasks once more until all kills are dealt out. */
export async function workOff(shift: Shift): Promise<readonly Done[]> {
  const done: Done[] = [];
  const chance = prng(shift.seed);
  const judge = openJudge(shift.suites);
  // A process that is killed leaves no compiled code behind, so one is let go first.
  if (shift.kills > 0) await startLife(shift.data, cacheOf(shift)).release();
  const crew = openCrew(shift);
  try {
    let owed = shift.kills;
    for (let round = 0; round === 0 || owed > 0; round += 1) {
      const queue = errandsOf(shift, chance, round, owed);
      await Promise.all(
        Array.from({ length: Math.min(shift.abreast, queue.length) }, async (_, place) => {
          const folder = `${shift.folder}/${place}`;
          mkdirSync(folder, { recursive: true });
          for (let errand = queue.shift(); errand !== undefined; errand = queue.shift()) {
            const { finished, kills, doubts } = await seeThrough(crew, shift, folder, errand);
            const { endings, escalations, unlike } = finished;
            owed -= kills;
            done.push({
              job: errand.job,
              ...judge.judge(folder, errand.job),
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
    await crew.dismiss();
  }
}

/** The first round does every task; later ones do as many as it takes. Kills are spread evenly over the tasks of a round. */
function errandsOf({ suites, kills }: Shift, chance: Prng, round: number, owed: number): Errand[] {
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

interface Through {
  readonly finished: Finished;
  readonly kills: number;
  readonly doubts: number;
}

/** One task to its end. Whenever a process is killed, the next one is told the same and finds out what is left. */
async function seeThrough(
  crew: Crew,
  { plant }: Shift,
  folder: string,
  { job, kills: allotted, chance }: Errand,
): Promise<Through> {
  const doubts = new Set<string>();
  for (let kills = 0; ; kills += 1) {
    const blow = kills < allotted ? crew.aim(chance, job) : NO_BLOW;
    const life = crew.take();
    const attempt = await life.obey({ job, folder, dieAt: blow.dieAt, plant }, blow.afterMs);
    if (attempt.doubt !== null) doubts.add(attempt.doubt);
    if (attempt.finished === null) {
      crew.bury(life);
      continue;
    }
    crew.giveBack(life);
    if (kills === 0) crew.note(job, attempt.tookMs);
    return { finished: attempt.finished, kills, doubts: doubts.size };
  }
}

/** When a process is to die: at a place that it comes to, or at an instant from outside. */
interface Blow {
  readonly dieAt: number | null;
  readonly afterMs: number | null;
}
const NO_BLOW: Blow = Object.freeze({ dieAt: null, afterMs: null });

/** Processes that are ready before they are needed, because starting one takes longer than a task. */
interface Crew {
  take(): Life;
  giveBack(life: Life): void;
  bury(life: Life): void;
  /** How long a task took that nobody disturbed. */
  note(job: Job, tookMs: number): void;
  aim(chance: Prng, job: Job): Blow;
  dismiss(): Promise<void>;
}

/** Commits, calls and decisions at which a process can die: about so many for a run, and for each call of it. */
const PLACES_PER_RUN = 8;
const PLACES_PER_CALL = 7;
const PLACE_MS_AT_FIRST = 3;

const cacheOf = ({ folder }: Shift): string => `${folder}/compiled`;

function openCrew(shift: Shift): Crew {
  const { data, abreast, kills, suites } = shift;
  const idle: Life[] = [];
  const alive = new Set<Life>();
  const tasks = suites.flatMap((suite) => suite.tasks.map((task) => [`${suite.name} ${task.id}`, task] as const));
  const lengths = new Map(
    tasks.map(([name, { actions }]) => [name, PLACES_PER_RUN + PLACES_PER_CALL * actions.length]),
  );
  const placesOf = ({ suite, task }: Job): number => lengths.get(`${suite} ${task}`) ?? PLACES_PER_RUN;
  // How fast the machine is shows in the tasks that are left alone.
  let placeMs = PLACE_MS_AT_FIRST;
  const recruit = (): Life => {
    const life = startLife(data, cacheOf(shift));
    alive.add(life);
    return life;
  };
  return {
    take: () => {
      if (kills > 0) while (idle.length < abreast) idle.push(recruit());
      return idle.shift() ?? recruit();
    },
    giveBack: (life) => idle.unshift(life),
    bury: (life) => alive.delete(life),
    note: (job, tookMs) => {
      placeMs = (placeMs * 3 + tookMs / placesOf(job)) / 4;
    },
    aim: (chance, job) => {
      const places = placesOf(job);
      if (chance.chance(0.5)) return { dieAt: chance.int(1, places), afterMs: null };
      return { dieAt: null, afterMs: chance.next() * places * placeMs };
    },
    dismiss: async () => {
      await Promise.all([...alive].map((life) => life.end()));
    },
  };
}
