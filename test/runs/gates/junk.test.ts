/** Whatever is handed in at a gate, what comes back is a fault that says what is wrong, and the gate still waits. */
import { fc, test } from '@fast-check/vitest';
import { expect } from 'vitest';
import { Fault } from '../../../src/model/fault.ts';
import { waitingSigned } from './bench.ts';

const { bench, gate, runId } = await waitingSigned();
const junk = fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true });
const refusal = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => null,
    (error: unknown) => error,
  );

test.prop([junk, junk, junk], { numRuns: 200 })('junk decides nothing', async (packetHash, credential, reason) => {
  const { approve, edit, giveGrant } = bench.runtime;
  const answers = [
    packetHash,
    { packetHash, credential, reason },
    { packetHash: gate.packetHash, credential, reason: 'ok' },
  ];
  for (const answer of answers) {
    expect(Fault.is(await refusal(approve(gate.gateId, answer as never)))).toBe(true);
    expect(Fault.is(await refusal(edit(gate.gateId, answer as never)))).toBe(true);
    expect(Fault.is(await refusal(giveGrant(answer as never, credential as never)))).toBe(true);
  }
  expect(Fault.is(await refusal(approve(packetHash as never, {} as never)))).toBe(true);
  expect(await bench.runtime.outcome(runId)).toMatchObject({ status: 'awaiting_gate' });
});
