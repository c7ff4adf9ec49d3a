/** A plan packet shows the gates that policies require for each step. */
import { expect, test } from 'vitest';
import { PlanPacket } from '../../../src/model/gate/approval-packet.ts';
import { parse } from '../../../src/model/json/parse.ts';
import { planOf, rig } from '../rig.ts';
import { CHANGES, cedar, eventsOf, PERMIT_ALL } from './bench.ts';

const ASK = '@id("ask") @gate("GATE_A") permit (principal, action, resource == Ambit::Tool::"pay");';

test('shows policy gates for every step, including steps that share a decision', async () => {
  const bench = rig({
    tools: { look: {}, pay: { ...CHANGES, produces: ['done'] } },
    plans: [
      planOf([
        { id: 'a', tool: 'look' },
        { id: 'b', tool: 'pay', depends_on: ['a'] },
        { id: 'c', tool: 'pay', depends_on: ['b'], params: { again: true } },
      ]),
    ],
    options: { graph: 'supervised' },
    world: { policy: { calls: cedar(`${PERMIT_ALL}${ASK}`) } },
  });
  const { pending, runId } = await bench.invoke();
  const [verified] = eventsOf(await bench.events(runId), 'plan_verified');
  expect(verified?.policy).toContainEqual({ step_id: 'c', as: 'b' });
  const packet = parse(PlanPacket, await bench.runtime.gates.packet(pending[0]?.packetHash ?? ''), 'packet_incomplete');
  expect(packet.dry_run.calls.map(({ step_id, gates }) => [step_id, gates])).toEqual([
    ['a', []],
    ['b', ['GATE_A']],
    ['c', ['GATE_A']],
  ]);
});
