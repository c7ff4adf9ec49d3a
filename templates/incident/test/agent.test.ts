import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ambit } from 'ambit';
import { scenario } from 'ambit/testing';
import { lead } from '../src/agent.ts';
import { script } from '../src/script.ts';
import { logAnalyst } from '../src/workers.ts';

test('the lead opens two lanes and waits for the person on call before it rolls back', async () => {
  assert.ok(lead.withModel);
  const runtime = ambit({ agent: lead.withModel(script), store: 'memory', limits: { parallelSteps: 2 } });
  const user = { name: 'pager', tenant: 'shop', roles: ['sre'] };
  const waiting = await runtime.invoke('incident_lead', { message: 'Checkout fails since 14:02', user });
  const [gate] = waiting.pending;
  assert.ok(gate, waiting.why.join(' '));
  assert.equal(gate.name, 'GATE_ONCALL');

  const credential = { kind: 'local_operator', name: 'olu', roles: ['oncall'] } as const;
  const { packetHash, gateId } = gate;
  const done = await runtime.approve(gateId, { packetHash, credential, reason: 'the errors began with the release' });
  assert.equal(done.terminalCode, 'SUCCESS', done.why.join(' '));
  assert.match(done.text ?? '', /The release of checkout is rel_481\./);
  const calls = (await runtime.records.transcripts(done.runId)).map(({ call }) => call.tool);
  assert.ok(calls.includes('look_at_logs') && calls.includes('look_at_metrics'), calls.join(', '));
  await runtime.close();
});

test('a worker reads and does nothing else', async () => {
  await scenario(logAnalyst)
    .say('Look at the logs', { inputs: { service: 'checkout' } })
    .expectCall('logs.query', { service: 'checkout' })
    .expectNoCall()
    .expectEnd('SUCCESS')
    .run();
});
