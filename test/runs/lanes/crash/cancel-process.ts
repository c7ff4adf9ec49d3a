/**
 * One process of the cancel tests. Its arguments select an action: `invoke` a run whose lane waits at a gate, `cancel`
 * the run and die right after an append with this event, `approve` the gate, or `serve` until the run has ended.
 */
import { appendFileSync } from 'node:fs';
import { sha256 } from '../../../../src/adapters/node/ids-and-hash.ts';
import { sqliteJournal } from '../../../../src/adapters/sqlite/sqlite-journal.ts';
import { ambit } from '../../../../src/compose.ts';
import { Fault } from '../../../../src/model/fault/fault.ts';
import type { Append, Journal } from '../../../../src/ports/journal/journal.ts';
import { REQUEST } from '../../rig.ts';
import { payingBoss } from '../paying-boss.ts';

const [folder = '', what = 'invoke', dieAfter = 'nothing', agent = 'boss'] = process.argv.slice(2);

/** The process dies once this event of this agent's run is durable. */
function dying(journal: Journal): Journal {
  const append = async (one: Append): Promise<void> => {
    await journal.append(one);
    const isIt = one.projections.session.agent === agent && one.frame.events.includes(`"${dieAfter}"`);
    if (isIt) process.kill(process.pid, 'SIGKILL');
  };
  return { ...journal, append };
}

const boss = payingBoss(what === 'invoke', {
  execute: () => {
    appendFileSync(`${folder}/world.txt`, 'paid\n');
    return { paid: true };
  },
});
const journal = dying(sqliteJournal({ path: `${folder}/run.db`, hash: sha256 }));
const runtime = ambit({ agents: [boss], world: { journal } });
const credential = { kind: 'local_operator', name: 'ops' } as const;
const find = async (name: string): Promise<string> =>
  (await runtime.sessions.list({ agent: name }))[0]?.runId ?? 'none';

async function act(): Promise<unknown> {
  if (what === 'invoke') return await runtime.invoke({ ...REQUEST, agent: 'boss' });
  const runId = await find('boss');
  if (what === 'cancel') return await runtime.sessions.cancel(runId, { credential, reason: 'no longer needed' });
  if (what === 'approve') {
    const [gate] = await journal.gates({ statuses: ['open'] });
    if (gate === undefined) throw new Error('there is no gate');
    return await runtime.approve(gate.gate_id, { packetHash: gate.packet_hash, credential, reason: 'seen' });
  }
  const stop = new AbortController();
  const serving = runtime.serve({ signal: stop.signal, everyMs: 20 });
  // Ends when the journal says that both runs have ended; `watch` yields nothing more after that.
  for (const name of ['boss', 'boss/do_pay']) for await (const _ of runtime.sessions.watch(await find(name)));
  stop.abort();
  return await serving;
}

const fault = await act().then(
  () => null,
  (error: unknown) => (Fault.is(error) ? error.code : String(error)),
);
const codeOf = async (name: string): Promise<string | null> =>
  (await runtime.sessions.get(await find(name))).terminalCode;
console.log(JSON.stringify({ fault, parent: await codeOf('boss'), lane: await codeOf('boss/do_pay') }));
await runtime.close();
