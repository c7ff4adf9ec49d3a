/** Every event that a run writes to its journal passes the published schema. */
import { expect, test } from 'vitest';
import { parseEvent } from '../../src/model/events/event-schema.ts';
import { planOf, rig } from '../runs/rig.ts';

test('every event of a gated run fits its published schema', async () => {
  const bench = rig({
    tools: {
      read: { produces: ['order'] },
      pay: {
        approval_mode: 'destructive',
        side_effect: true,
        gates: ['GATE'],
        idempotency: { kind: 'key', retention_ms: 1000 },
        produces: ['done'],
      },
    },
    plans: [
      'prose',
      planOf([
        { id: 'a', tool: 'read' },
        { id: 'b', tool: 'pay', depends_on: ['a'], requires: ['GATE'] },
      ]),
    ],
  });
  const waiting = await bench.invoke();
  const [gate] = waiting.pending;
  const { gateId, packetHash } = gate ?? { gateId: '', packetHash: '' };
  const done = await bench.settle(
    bench.runtime.approve(gateId, {
      packetHash,
      credential: { kind: 'local_operator', name: 'user_1' },
      reason: 'fine',
    }),
  );
  const events = await bench.events(done.runId);
  expect(done.terminalCode).toBe('SUCCESS');
  expect(events.map((event) => parseEvent(event))).toEqual(events);
});
