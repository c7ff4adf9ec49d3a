/** A run that another process ends takes its effects back once: the process that ends it has lost no work. */
import { expect, test } from 'vitest';
import { restartProcess } from '../executing/crashed-process.ts';
import { operator, planOf, type Rig, type RigOptions, type RigTool, rig } from '../rig.ts';

const PAY: RigTool = {
  approval_mode: 'local_write',
  side_effect: true,
  probes: { compensate: 'refund' },
  probing: { compensate: { args: ({ args }) => args } },
};
const SHIP: RigTool = { approval_mode: 'destructive', side_effect: true, gates: ['GATE_OWNER'], produces: ['done'] };

const toolsWith = (idempotency: 'natural' | 'none', ship: RigTool = {}): NonNullable<RigOptions['tools']> => ({
  pay: PAY,
  refund: { approval_mode: 'local_write', side_effect: true, idempotency: { kind: idempotency } },
  ship: { ...SHIP, ...ship },
});

const PLAN = planOf([
  { id: 's1', tool: 'pay' },
  { id: 's2', tool: 'ship', depends_on: ['s1'], requires: ['GATE_OWNER'] },
]);

const CHANGED: RigTool = { version: '2' };
const why = { credential: operator('ops_1'), reason: 'stop' };

interface Gate {
  readonly gateId: string;
  readonly packetHash: string;
}

const ENDINGS: readonly (readonly [string, RigTool, (runtime: Rig['runtime'], id: string, gate: Gate) => unknown])[] = [
  ['terminates', {}, ({ sessions }, id) => sessions.terminate(id, why)],
  ['terminates, after a deploy', CHANGED, ({ sessions }, id) => sessions.terminate(id, why)],
  ['cancels, after a deploy', CHANGED, ({ sessions }, id) => sessions.cancel(id, why)],
  [
    'rejects its call, after a deploy',
    CHANGED,
    ({ gates }, _, { gateId, packetHash }) =>
      gates.reject(gateId, { packetHash, credential: operator('owner'), reason: 'no' }),
  ],
];

test.each(ENDINGS.flatMap((row) => (['natural', 'none'] as const).map((kind) => [...row, kind] as const)))(
  'another process %s: one refund',
  async (_, ship, end, idempotency) => {
    const first = rig({ tools: toolsWith(idempotency), plans: [PLAN] });
    const { runId, pending } = await first.invoke();
    const [gate] = pending;
    if (gate === undefined) throw new Error('no gate is open');
    const second = restartProcess(first, { tools: toolsWith(idempotency, ship), plans: [] });
    await second.settle(Promise.resolve(end(second.runtime, runId, gate)));
    expect(second.dispatches.map(({ tool }) => tool)).toEqual(['refund']);
    expect(await second.events(runId)).toContainEqual(
      expect.objectContaining({
        type: 'step_compensated',
        settled: expect.objectContaining({ tool: 'pay', outcome: 'rolled_back', reason: 'taken_back' }),
      }),
    );
  },
);
