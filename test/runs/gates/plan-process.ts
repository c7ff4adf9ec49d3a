/** A fresh process that brings a person's yes to a plan that another one has shown. Its planner has nothing to say. */
import { sha256 } from '../../../src/adapters/node/sha256.ts';
import { sqliteJournal } from '../../../src/adapters/sqlite/sqlite-journal.ts';
import { operator, rig } from '../rig.ts';
import { SUPERVISED } from './supervised.ts';

const [path = '', gateId = '', packetHash = ''] = process.argv.slice(2);
const ids = { next: (prefix: string) => `${prefix}_fresh_${process.pid}` };
const bench = rig({ ...SUPERVISED, plans: [], world: { journal: sqliteJournal({ path, hash: sha256 }), ids } });
console.log('ready');
const yes = { packetHash, credential: operator('lead_1'), reason: 'good' };
const { runId, terminalCode, plan } = await bench.settle(bench.runtime.approve(gateId, yes));
const { state } = await bench.runtime.replay(runId);
console.log(
  JSON.stringify({
    terminalCode,
    approach: plan?.approach,
    asked: bench.planner.requests.length,
    plan: state.planning.active?.plan,
    sent: bench.dispatches.map(({ tool }) => tool),
  }),
);
await bench.runtime.close();
