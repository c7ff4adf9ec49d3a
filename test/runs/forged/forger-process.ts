/** A process that can write the store and has no key: it approves the open gate, and dies with the intent stored. */
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../../src/adapters/sqlite/sqlite-journal.ts';
import { operator, rig } from '../rig.ts';
import { payment } from './payment.ts';

const [path = ''] = process.argv.slice(2);
const journal = sqliteJournal({ path, hash: sha256 });
const bench = rig(
  payment({
    world: { journal },
    execute: () => {
      process.kill(process.pid, 'SIGKILL');
      return new Promise(() => undefined);
    },
  }),
);
const [gate] = await journal.gates({ statuses: ['open'], limit: 1 });
if (gate === undefined) throw new Error('no gate is open');
const { gate_id, packet_hash: packetHash } = gate;
await bench.settle(
  bench.runtime.approve(gate_id, { packetHash, credential: operator('ana', ['finance']), reason: 'seen' }),
);
