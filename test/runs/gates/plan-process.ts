/** A child process that approves a plan of another process. Its own planner has no plan. */
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../../src/adapters/sqlite/sqlite-journal.ts';
import { operator, rig } from '../rig.ts';
import { SUPERVISED } from './supervised-run.ts';

const [path = '', gateId = '', packetHash = ''] = process.argv.slice(2);
const ids = { next: (prefix: string) => `${prefix}_fresh_${process.pid}` };
const bench = rig({ ...SUPERVISED, plans: [], world: { journal: sqliteJournal({ path, hash: sha256 }), ids } });
console.log('ready');
const yes = { packetHash, credential: operator('lead_1'), reason: 'good' };
const { runId, terminalCode, plan } = await bench.settle(bench.runtime.approve(gateId, yes));
const { state } = await bench.runtime.records.replay(runId);
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
