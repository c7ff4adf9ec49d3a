/**
 * A process that performs tasks, one after the other, until it is killed. `check-tau` starts it. It keeps no state: the
 * progress of a task is in the journal and in the world, where the next process finds it.
 *
 *     node worker.ts <folder with suites>
 */
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../src/adapters/sqlite/sqlite-journal.ts';
import { type Ambit, ambit } from '../../src/index.ts';
import type { RunEvent } from '../../src/model/events/event.ts';
import type { Journal } from '../../src/ports/journal/journal.ts';
import type { RunOutcome } from '../../src/session/outcome.ts';
import { agentWith, recordedPlanner, requestFor } from './agent.ts';
import { decideAll, firstOpenCall, isDecided, type OperatorContext } from './operator.ts';
import { EXIT, type Job, type Order, type WorkerMessage } from './orders.ts';
import { readSuites, type Suite, type Task } from './suite.ts';
import { actionOf, kindsOf, suiteTools } from './tools.ts';
import { openWorld, type World } from './world.ts';

const suites = readSuites(process.argv[2] ?? '');

/** Time for a call to be sent after its intent; a successor waits for it before it probes a call in doubt. */
const DISPATCH_WINDOW_MS = 2_000;

/** An equal change waits for the operator within this time, and is made after it. */
const DUPLICATE_WINDOW_MS = 1_000;

let places = 0;
let dieAt: number | null = null;
const reached = (_point: string): void => {
  places += 1;
  if (places === dieAt) process.kill(process.pid, 'SIGKILL');
};

/** The resources of one folder: a journal, one world per suite, and one runtime per rotation of kinds. */
interface Shop {
  readonly journal: Journal;
  world(suite: Suite): World;
  runtime(suite: Suite, order: Order): Ambit;
}

const jobs = new Map<string, Job>();
const shops = new Map<string, Shop>();

function suiteOf(job: Job): Suite {
  const suite = typeof suites === 'string' ? undefined : suites.find(({ name }) => name === job.suite);
  if (suite === undefined) throw new Error(`unknown suite ${job.suite}`);
  return suite;
}

function taskOf(realm: string): Task {
  const job = jobs.get(realm);
  const task = job === undefined ? undefined : suiteOf(job).tasks.find(({ id }) => id === job.task);
  if (task === undefined) throw new Error(`unknown realm ${realm}`);
  return task;
}

function openShop(folder: string): Shop {
  const journal = sqliteJournal({ path: `${folder}/journal.db`, hash: sha256, faults: reached });
  const worlds = new Map<string, World>();
  const runtimes = new Map<string, Ambit>();
  const world = (suite: Suite): World =>
    getOrMake(worlds, suite.name, () => openWorld(`${folder}/${suite.name}.world.db`, suite.world));
  return {
    journal,
    world,
    runtime: (suite, { job: { rotation }, plant }) =>
      getOrMake(runtimes, `${suite.name} ${rotation}`, () => {
        const tools = suiteTools({ suite, world: world(suite), rotation, taskOf, reached, plant });
        return ambit({
          agent: agentWith(tools.map(({ spec }) => spec.name)),
          tools,
          planner: recordedPlanner(taskOf, reached),
          limits: { dispatchWindowMs: DISPATCH_WINDOW_MS, duplicateWindowMs: DUPLICATE_WINDOW_MS, retryBaseMs: 1 },
          world: { journal },
        });
      }),
  };
}

function getOrMake<T>(known: Map<string, T>, name: string, make: () => T): T {
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
  const shop = getOrMake(shops, folder, () => openShop(folder));
  const context: OperatorContext = {
    runtime: shop.runtime(suite, order),
    world: shop.world(suite),
    realm: job.realm,
    task,
    reached,
  };
  const runs = await runsOf(shop.journal, job.realm);
  send({
    kind: 'found',
    doubt: doubtIn(task, await eventsOf(shop.journal, runs.at(-1)), kindsOf(suite, job.rotation)),
  });
  await complete(context, runs.at(-1) ?? null);
  dieAt = null;
  await report(shop, context);
}

/** Continues the last run or starts one. After a run that a person terminated, another one requests the rest. */
async function complete(context: OperatorContext, last: string | null): Promise<void> {
  const { runtime, realm, task } = context;
  const ask = async (from: number): Promise<RunOutcome> => await runtime.invoke(requestFor(realm, task, from));
  let outcome = await decideAll(context, last === null ? await ask(0) : await runtime.resume(last));
  while (outcome.terminalCode === 'REVIEW_REQUIRED' && isDecided(outcome.reason)) {
    outcome = await decideAll(context, await ask(firstOpenCall(context)));
  }
}

/** The runs of a realm, in the order of their requests. */
async function runsOf(journal: Journal, tenant: string): Promise<readonly string[]> {
  const rows = await journal.list({ tenant, order: 'oldest' });
  return rows.map(({ session_id }) => session_id);
}

async function eventsOf(journal: Journal, run: string | undefined): Promise<readonly RunEvent[]> {
  const frames = run === undefined ? [] : await journal.load(run);
  return frames.flatMap(({ events }) => JSON.parse(events) as RunEvent[]);
}

/** An unanswered call of a tool with neither key nor probe; null if there is none. */
function doubtIn({ actions }: Task, events: readonly RunEvent[], kinds: ReturnType<typeof kindsOf>): string | null {
  const intent = events.findLast((event) => event.type === 'step_attempted');
  if (intent === undefined) return null;
  const tool = actions[actionOf(intent.step_id)]?.real.tool ?? intent.tool;
  if (kinds.get(tool) !== 'neither') return null;
  const isAnswered = events.some((event) => event.type === 'step_observed' && event.call_id === intent.call_id);
  return isAnswered ? null : `${intent.idempotency_key} ${intent.call_id}`;
}

async function report({ journal }: Shop, { runtime, realm }: OperatorContext): Promise<void> {
  const endings: string[] = [];
  const escalations: string[] = [];
  let unlike: string | null = null;
  for (const run of await runsOf(journal, realm)) {
    const outcome = await runtime.sessions.get(run);
    endings.push(outcome.terminalCode ?? `${outcome.status}: ${outcome.suspended?.reason ?? ''}`);
    const events = await eventsOf(journal, run);
    escalations.push(...events.flatMap((event) => (event.type === 'run_escalated' ? [event.stop.reason] : [])));
    await runtime.records.replay(run).catch((error: unknown) => {
      unlike ??= `${run}: ${error instanceof Error ? error.message : String(error)}`;
    });
  }
  send({ kind: 'finished', endings, escalations, unlike });
}

function send(message: WorkerMessage): void {
  process.send?.(message);
}

process.on('message', (order: Order | typeof EXIT) => {
  if (order === EXIT) process.exit(0);
  work(order).catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
});
// A check that was stopped, even by SIGKILL, leaves no process at work.
process.on('disconnect', () => process.exit(1));
send({ kind: 'ready' });
