/** A process of the lane sweep: two parallel workers, one of which pays. It kills itself at the moment in its arguments. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { sha256 } from '../../../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../../../src/adapters/sqlite/sqlite-journal.ts';
import { ambit } from '../../../../src/compose.ts';
import { CAPS, planOf, REQUEST } from '../../rig.ts';
import { benchAgent, benchLane, LANE_BUDGET } from '../bench.ts';

const [folder = '', moment = 'none', count = '0'] = process.argv.slice(2);
let left = Number(count);

function dieAt(reached: string): void {
  if (reached !== moment) return;
  left -= 1;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
}

/** The outside world: each line is an effect that happened. */
const world = `${folder}/world.txt`;
const happened = (key: string): boolean => existsSync(world) && readFileSync(world, 'utf8').includes(`${key}\n`);

const journal = sqliteJournal({ path: `${folder}/run.db`, hash: sha256, faults: dieAt });
const before = await journal.list({ order: 'oldest' });
const planned = (session: string): boolean => before.some((row) => row.agent === session && row.node !== 'plan');
const plan = planOf([{ id: 'a', tool: 'pay', params: { amount: 5 } }]);
const payer = benchAgent({
  name: 'payer',
  tools: {
    pay: {
      side_effect: true,
      approval_mode: 'local_write',
      produces: ['done'],
      timeout_ms: 200,
      idempotency: { kind: 'key', retention_ms: 600_000 },
      execute: (_, { idempotencyKey }) => {
        dieAt('before_call');
        if (!happened(idempotencyKey)) appendFileSync(world, `${idempotencyKey}\n`);
        dieAt('after_call');
        return { paid: true };
      },
    },
  },
  plans: planned('boss/pays') ? [] : [plan],
});
const reader = benchAgent({
  name: 'reader',
  tools: { look: { produces: ['done'] } },
  plans: planned('boss/reads') ? [] : [planOf([{ id: 'r', tool: 'look' }])],
});
const lanes = [
  benchLane('pays', payer, { approvalMode: 'local_write', budget: { ...LANE_BUDGET, sideEffectsMax: 1 } }),
  benchLane('reads', reader),
];
const boss = benchAgent({
  name: 'boss',
  tools: {},
  lanes,
  caps: { ...CAPS, lanes_max: 4 },
  plans: planned('boss')
    ? []
    : [
        planOf([
          { id: 's1', tool: 'reads' },
          { id: 's2', tool: 'pays' },
        ]),
      ],
});

const runtime = ambit({ agents: [boss], limits: { dispatchWindowMs: 200, parallelSteps: 2 }, world: { journal } });
const root = before.find(({ agent }) => agent === 'boss')?.session_id;
const takeOver = { credential: { kind: 'local_operator', name: 'ops_1' }, reason: 'it does not move' } as const;
const run =
  root === undefined ? await runtime.invoke({ ...REQUEST, agent: 'boss' }) : await runtime.resume(root, { takeOver });
const rows = await journal.list({});
for (const { session_id } of rows) await runtime.records.replay(session_id);
console.log(JSON.stringify({ code: run.terminalCode, runs: rows.length, lanes: run.record?.lanes?.length ?? 0 }));
await runtime.close();
