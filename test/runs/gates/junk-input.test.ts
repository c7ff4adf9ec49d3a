/** Property: any junk passed to a gate or grant call is rejected with a fault, and the gate stays open. */
import { fc, test } from '@fast-check/vitest';
import { expect } from 'vitest';
import { Fault } from '../../../src/model/fault/fault.ts';
import { waitingSigned } from './bench.ts';

const { bench, gate, runId } = await waitingSigned();
const junk = fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true });
const refusal = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => null,
    (error: unknown) => error,
  );

test.prop([junk, junk, junk], { numRuns: 200 })(
  'rejects junk and decides nothing',
  async (packetHash, credential, reason) => {
    const { gates, grants } = bench.runtime;
    const answers = [
      packetHash,
      { packetHash, credential, reason },
      { packetHash: gate.packetHash, credential, reason: 'ok' },
    ];
    for (const answer of answers) {
      expect(Fault.is(await refusal(gates.approve(gate.gateId, answer as never)))).toBe(true);
      expect(Fault.is(await refusal(gates.edit(gate.gateId, answer as never)))).toBe(true);
      expect(Fault.is(await refusal(grants.give(answer as never, credential as never)))).toBe(true);
    }
    expect(Fault.is(await refusal(gates.approve(packetHash as never, {} as never)))).toBe(true);
    expect(await bench.runtime.sessions.get(runId)).toMatchObject({ status: 'awaiting_gate' });
  },
);
