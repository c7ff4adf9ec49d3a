/**
 * A process that does tasks, one after the other, until it is killed. It is started by `check-tau` and knows nothing but
 * its orders: where a task stands is in the journal and in the world, and whoever comes after it finds it there.
 *
 *     node worker.ts <folder with suites>
 */
import { sha256 } from '../../src/adapters/node/sha256.ts';
import { sqliteJournal } from '../../src/adapters/sqlite/sqlite-journal.ts';
import { type Ambit, ambit } from '../../src/index.ts';
import type { RunEvent } from '../../src/model/event.ts';
import type { Journal } from '../../src/ports/journal.ts';
import type { RunOutcome } from '../../src/session/outcome.ts';
import { agentWith, recordedPlanner, requestFor } from './agent.ts';
import { GO_HOME, type Job, type Order, type Word } from './orders.ts';
import { attend, type Desk, whatIsLeft } from './person.ts';
import { readSuites, type Suite, type Task } from './suite.ts';
import { kindsOf, suiteTools } from './tools.ts';
import { openWorld, type World } from './world.ts';

const suites = readSuites(process.argv[2] ?? '');

/** Time for a call to be sent after its intent; whoever takes over waits for it before a call in doubt is looked into. */
const DISPATCH_WINDOW_MS = 2_000;

let places = 0;
let dieAt: number | null = null;
const reached = (_point: string): void => {
  places += 1;
  if (places === dieAt) process.kill(process.pid, 'SIGKILL');
};

/** A place at work: one journal, one world of each suite, and a runtime for each way in which kinds are dealt out. */
interface Shop {
  readonly journal: Journal;
  world(suite: Suite): World;
  runtime(suite: Suite, order: Order): Ambit;
}

const jobs = new Map<string, Job>();
const shops = new Map<string, Shop>();

function suiteOf(job: Job): Suite {
  const suite = typeof suites === 'string' ? undefined : suites.find(({ name }) => name === job.suite);
  if (suite === undefined) throw new Error(`there is no suite ${job.suite}`);
  return suite;
}

function taskOf(realm: string): Task {
  const job = jobs.get(realm);
  const task = job === undefined ? undefined : suiteOf(job).tasks.find(({ id }) => id === job.task);
  if (task === undefined) throw new Error(`nothing is known of ${realm}`);
  return task;
}

function openShop(folder: string): Shop {
  const journal = sqliteJournal({ path: `${folder}/journal.db`, hash: sha256, faults: reached });
  const worlds = new Map<string, World>();
  const runtimes = new Map<string, Ambit>();
  const world = (suite: Suite): World =>
    remembered(worlds, suite.name, () => openWorld(`${folder}/${suite.name}.world.db`, suite.world));
  return {
    journal,
    world,
    runtime: (suite, { job: { rotation }, plant }) =>
      remembered(runtimes, `${suite.name} ${rotation}`, () => {
        const tools = suiteTools({ suite, world: world(suite), rotation, taskOf, reached, plant });
        return ambit({
          agent: agentWith(tools.map(({ spec }) => spec.name)),
          tools,
          planner: recordedPlanner(taskOf, reached),
          // A task may ask for the same change twice, and nothing is retried at a pace that people would notice.
          limits: { dispatchWindowMs: DISPATCH_WINDOW_MS, duplicateWindowMs: 1, retryBaseMs: 1 },
          world: { journal },
        });
      }),
  };
}

function remembered<T>(known: Map<string, T>, name: string, make: () => T): T {
  const found = known.get(name) ?? make();
  known.set(name, found);
  return found;
}

async function work(order: Order): Promise<void> {
  places = 0;
  dieAt = order.dieAt;
  const { job, folder } = order;
  jobs.set(job.realm, job);
  const suite = suiteOf(job);
  const task = taskOf(job.realm);
  const shop = remembered(shops, folder, () => openShop(folder));
  const desk: Desk = {
    runtime: shop.runtime(suite, order),
    world: shop.world(suite),
    realm: job.realm,
    task,
    reached,
  };
  const runs = await runsOf(shop.journal, job.realm);
  say({ kind: 'found', doubt: doubtIn(await eventsOf(shop.journal, runs.at(-1)), kindsOf(suite, job.rotation)) });
  await complete(desk, runs.at(-1) ?? null);
  dieAt = null;
  await report(shop, desk);
}

/** Goes on with the last run, or starts one; a run that a person has ended is followed by one for the rest. */
async function complete(desk: Desk, last: string | null): Promise<void> {
  const { runtime, realm, task } = desk;
  const ask = async (from: number): Promise<RunOutcome> => await runtime.invoke(requestFor(realm, task, from));
  let outcome = await attend(desk, last === null ? await ask(0) : await runtime.resume(last));
  while (outcome.terminalCode === 'REVIEW_REQUIRED' && outcome.reason === 'call_in_doubt') {
    outcome = await attend(desk, await ask(whatIsLeft(desk)));
  }
}

/** The runs of a realm, in the order in which they were asked for. */
async function runsOf(journal: Journal, tenant: string): Promise<readonly string[]> {
  const rows = await journal.list({ tenant, order: 'oldest' });
  return rows.map(({ session_id }) => session_id);
}

async function eventsOf(journal: Journal, run: string | undefined): Promise<readonly RunEvent[]> {
  const frames = run === undefined ? [] : await journal.load(run);
  return frames.flatMap(({ events }) => JSON.parse(events) as RunEvent[]);
}

/** A call that was intended and not heard of, of a tool that nobody can ask and that absorbs nothing. */
function doubtIn(events: readonly RunEvent[], kinds: ReturnType<typeof kindsOf>): string | null {
  const intent = events.findLast((event) => event.type === 'step_attempted');
  if (intent === undefined || kinds.get(intent.tool) !== 'neither') return null;
  const heard = events.some((event) => event.type === 'step_observed' && event.call_id === intent.call_id);
  return heard ? null : `${intent.idempotency_key} ${intent.call_id}`;
}

async function report({ journal }: Shop, { runtime, realm }: Desk): Promise<void> {
  const endings: string[] = [];
  const escalations: string[] = [];
  let unlike: string | null = null;
  for (const run of await runsOf(journal, realm)) {
    const outcome = await runtime.outcome(run);
    endings.push(outcome.terminalCode ?? `${outcome.status}: ${outcome.suspended?.reason ?? ''}`);
    const events = await eventsOf(journal, run);
    escalations.push(...events.flatMap((event) => (event.type === 'run_escalated' ? [event.stop.reason] : [])));
    await runtime.replay(run).catch((error: unknown) => {
      unlike ??= `${run}: ${error instanceof Error ? error.message : String(error)}`;
    });
  }
  say({ kind: 'finished', endings, escalations, unlike });
}

function say(word: Word): void {
  process.send?.(word);
}

process.on('message', (order: Order | typeof GO_HOME) => {
  if (order === GO_HOME) process.exit(0);
  work(order).catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
});
say({ kind: 'ready' });
