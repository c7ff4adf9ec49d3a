/** Whoever is asked about a whole plan sees whom the policies will have asked before each of its steps. */
import { expect, test } from 'vitest';
import { parse } from '../../../src/model/parse.ts';
import { PlanPacket } from '../../../src/model/plan-packet.ts';
import { planOf, rig } from '../rig.ts';
import { CHANGES, cedar, eventsOf, PERMIT_ALL } from './bench.ts';

const ASK = '@id("ask") @gate("GATE_A") permit (principal, action, resource == Ambit::Tool::"pay");';

test('the gates of the policies are shown with every step, also with one that is decided as another', async () => {
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
  const packet = parse(PlanPacket, await bench.runtime.packet(pending[0]?.packetHash ?? ''), 'packet_incomplete');
  expect(packet.dry_run.calls.map(({ step_id, gates }) => [step_id, gates])).toEqual([
    ['a', []],
    ['b', ['GATE_A']],
    ['c', ['GATE_A']],
  ]);
});
