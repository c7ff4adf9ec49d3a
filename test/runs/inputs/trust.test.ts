/** An untrusted input makes the call and its result untrusted. */
import { expect, test } from 'vitest';
import { PROVENANCE_GATE } from '../../../src/model/evidence/origin.ts';
import { GATE_MODE_APPROVAL } from '../../../src/model/gate/gate.ts';
import type { PlanStep } from '../../../src/model/plan/plan.ts';
import { mailbox, packetAt } from '../provenance/bench.ts';
import { planOf } from '../rig.ts';

const READ: PlanStep = { id: 'read', tool: 'mail', context_key: 'letter' };
const LOOK: PlanStep = { id: 'look', tool: 'contacts', context_key: 'contact' };
const SEND: PlanStep = { id: 'send', tool: 'send', params: { to: 'bob' }, requires: [GATE_MODE_APPROVAL] };

const goal = { statement: 'Send it to bob' };

test('a request grants a call with a trusted input, and none with an untrusted one', async () => {
  const trusted = mailbox([planOf([LOOK, { ...SEND, inputs: ['contact'] }])]);
  expect(await trusted.invoke({ goal })).toMatchObject({ terminalCode: 'SUCCESS' });

  const untrusted = mailbox([planOf([READ, { ...SEND, inputs: ['letter'] }])]);
  const waiting = await untrusted.invoke({ goal });
  expect(waiting.pending.map(({ name }) => name)).toEqual([GATE_MODE_APPROVAL]);
  const packet = await packetAt(untrusted, waiting.pending[0]?.packetHash ?? '');
  expect(packet.inputs).toMatchObject([{ key: 'letter', source: 'mail', trusted: false }]);
});

test('the granted call records the source of its inputs', async () => {
  const bench = mailbox([planOf([LOOK, { ...SEND, inputs: ['contact'] }])]);
  const { runId } = await bench.invoke({ goal });
  const cleared = (await bench.events(runId)).find(
    (event) => event.type === 'step_cleared' && event.step_id === 'send',
  );
  expect(cleared).toMatchObject({ granted: { inputs: { contact: 'contacts' } } });
});

test('a boundary that refuses untrusted arguments refuses an untrusted input', async () => {
  const bench = mailbox([planOf([READ, { ...SEND, inputs: ['letter'] }])], {
    tools: { untrusted_arguments: 'refused' },
  });
  const run = await bench.invoke({ goal });
  expect(run).toMatchObject({ terminalCode: 'PERMISSION_DENIED', reason: 'untrusted_argument' });
});

test('a local write with sensitive arguments stops at the provenance gate', async () => {
  const note = { approval_mode: 'local_write', side_effect: true, produces: ['done'] } as const;
  const bench = mailbox(
    [planOf([READ, { id: 'write', tool: 'note', params: { text: 'hi' }, inputs: ['letter'] }])],
    {},
    { tools: { note: { ...note, hazards: { sensitive: ['/text'] } } } },
  );
  const run = await bench.invoke();
  expect(run.pending.map(({ name }) => name)).toEqual([PROVENANCE_GATE]);
});

test('the result of a trusted tool with an untrusted input is untrusted', async () => {
  const bench = mailbox([
    planOf([
      READ,
      { id: 'sum', tool: 'upper', params: { text: 'x' }, inputs: ['letter'], context_key: 'summary' },
      { ...SEND, inputs: ['summary'] },
    ]),
  ]);
  const waiting = await bench.invoke({ goal });
  const packet = await packetAt(bench, waiting.pending[0]?.packetHash ?? '');
  expect(packet.inputs).toMatchObject([{ key: 'summary', source: 'upper', trusted: false }]);
});
