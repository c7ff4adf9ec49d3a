/**
 * A `long_running` session: it is stored before anything else happens, reports its progress, waits at its gate while
 * its process is gone, and is completed by another process.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { styleText } from 'node:util';
import { type Ambit, ambit } from 'ambit';
import { readLine } from '../../command-line.ts';
import { creditRequest, finopsAgent } from './agent.ts';
import { openErp } from './erp.ts';
import { HELP } from './help.ts';

const erp = openErp();

/** Every process builds the same agent on the same journal. */
const startIn = (folder: string): Ambit =>
  ambit({
    agent: finopsAgent(erp.tools),
    store: `sqlite:${join(folder, 'ambit.db')}`,
    world: { policy: { gates: { GATE_FINANCE_APPROVAL: { roles: ['finance'] } } } },
  });

const say = (title: string, value?: unknown): void =>
  console.log(`${styleText('bold', title)}${value === undefined ? '' : ` ${JSON.stringify(value, null, 2)}`}`);

async function play(start: () => Ambit): Promise<void> {
  const first = start();
  const waiting = await first.invoke('agt_finops', creditRequest);
  say('The session, waiting at its gate:', await first.sessions.contract(waiting.runId));
  for await (const envelope of first.sessions.progress(waiting.runId)) {
    say('Progress:', envelope);
    assert.equal(envelope.awaiting_gate, 'GATE_FINANCE_APPROVAL');
    assert.deepEqual([envelope.completed_step_count, envelope.total_step_count], [3, 5]);
    break;
  }
  await first.close();
  say('\nThe process is gone. Another one opens the journal, and finance approves there.\n');

  const second = start();
  const [gate] = (await second.sessions.get(waiting.runId)).pending;
  assert.ok(gate, 'the gate is still open');
  const done = await second.approve(gate.gateId, {
    packetHash: gate.packetHash,
    credential: { kind: 'local_operator', name: 'lead_finance', roles: ['finance'] },
    reason: 'as agreed',
  });
  const session = await second.sessions.contract(waiting.runId);
  say('The session at its end:', session);
  say('The answer, which states the facts without a model:');
  console.log(done.text);
  say('Summary:', await second.records.account(waiting.runId));
  const { turns } = await second.records.replay(waiting.runId);
  await second.close();

  assert.equal(done.status, 'completed');
  assert.deepEqual([...erp.credits.values()], [{ invoice_id: 'inv_22', amount_cents: 24_000 }]);
  assert.equal(session.next_step, null);
  assert.equal(session.heartbeat.ttl_ms, creditRequest.runtime?.max_session_duration_ms);
  assert.deepEqual([session.pack_pin, session.snapshot_pin], ['ctxpack.finops@3.1.0', 'kg_2026_05_03_T0930']);
  say(`\nOne credit, ${session.checkpoints.length} checkpoints, ${turns.length} frames that replay to the same bytes.`);
}

if (readLine('npm run example:invoice', HELP, []) !== null) {
  const folder = mkdtempSync(join(tmpdir(), 'ambit-invoice-'));
  try {
    await play(() => startIn(folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
