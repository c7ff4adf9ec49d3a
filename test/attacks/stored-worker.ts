/** A store file with a run of a lane's worker outside its lane, as a writer of the store would put it there. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../src/adapters/sqlite/sqlite-journal.ts';
import { Fault } from '../../src/index.ts';
import { simulatedClock } from '../../src/testing/simulated-clock.ts';
import { benchAgent, benchLane, dispatched, LANE_BUDGET, type LaneRig, laneRig } from '../runs/lanes/bench.ts';
import { calledTools, serveAt } from '../runs/lanes/dying-processes.ts';
import { passTurns } from '../runs/pass-turns.ts';
import { CAPS, neverAnswers, operator, planOf, REQUEST, type RigTool, START_MS } from '../runs/rig.ts';

const PAY: RigTool = {
  approval_mode: 'local_write',
  side_effect: true,
  produces: ['done'],
  idempotency: { kind: 'key', retention_ms: 3_600_000 },
};

/** The reaction of a process with the usual agents to the run: its fault, and the tools that it called. */
export interface WorkerRefused {
  readonly said: string;
  readonly called: readonly string[];
  /** How the run ends when it is cancelled. */
  readonly ended: string | null;
}

type Act = (bench: LaneRig) => Promise<unknown>;

const LATER = START_MS + 120_000;

/** The commands that would continue the run. */
export const CONTINUING: readonly (readonly [name: string, act: Act])[] = [
  ['resume', ({ settle, runtime }) => settle(runtime.resume('run_1'))],
  ['a server', async (bench) => (await serveAt(bench, LATER)).join()],
  ['an operator', ({ settle, runtime }) => settle(runtime.sessions.resume('run_1', operator('ops', ['operator'])))],
];

export async function storedWorker(act: Act): Promise<WorkerRefused> {
  const folder = mkdtempSync(join(tmpdir(), 'ambit-worker-'));
  const open = () => ({
    journal: sqliteJournal({ path: join(folder, 'run.db'), hash: sha256 }),
    clock: simulatedClock(START_MS),
  });
  try {
    dispatched.length = 0;
    const plans = [planOf([{ id: 'p', tool: 'pay', params: { amount: 5 } }])];
    const forged = benchAgent({ name: 'boss/do_pay', tools: { pay: { ...PAY, execute: neverAnswers } }, plans });
    const forger = laneRig([forged], open());
    void forger.runtime.invoke({ ...REQUEST, agent: 'boss/do_pay' }).catch(() => undefined);
    while (dispatched.length === 0) await passTurns(1);
    await forger.runtime.close();
    dispatched.length = 0;
    const payer = benchAgent({ name: 'payer', tools: { pay: PAY }, plans: [] });
    const lane = benchLane('do_pay', payer, {
      approvalMode: 'delegated',
      budget: { ...LANE_BUDGET, sideEffectsMax: 2 },
    });
    const boss = benchAgent({ name: 'boss', tools: {}, lanes: [lane], caps: { ...CAPS, lanes_max: 5 }, plans: [] });
    const bench = laneRig([boss], open());
    bench.clock.advanceTo(LATER);
    const said = await saidBy(() => act(bench));
    const called = calledTools();
    const order = { type: 'run_cancelled', by: 'agt_worker', reason: 'unknown' } as const;
    const { terminalCode } = await bench.settle(bench.runtime.sessions.send('run_1', order));
    await bench.runtime.close();
    return { said, called, ended: terminalCode };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function saidBy(act: () => Promise<unknown>): Promise<string> {
  try {
    return String(await act());
  } catch (error) {
    if (!Fault.is(error)) throw error;
    return `${error.code}: ${error.message}`;
  }
}
