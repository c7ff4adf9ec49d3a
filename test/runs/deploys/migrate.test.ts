import { expect, test } from 'vitest';
import { restartProcess } from '../executing/crashed-process.ts';
import { operator, planOf, type Rig, type RigOptions, type RigTool, rig } from '../rig.ts';

const PLAN = planOf([
  { id: 's1', tool: 'look' },
  { id: 's2', tool: 'pay', depends_on: ['s1'], params: { amount: 5 }, requires: ['GATE_OWNER'] },
  { id: 's3', tool: 'report', depends_on: ['s2'] },
]);
const TOOLS: NonNullable<RigOptions['tools']> = {
  look: {},
  pay: {
    approval_mode: 'destructive',
    side_effect: true,
    gates: ['GATE_OWNER'],
    input_schema: { type: 'object', properties: { amount: { type: 'integer' } } },
  },
  report: { produces: ['done'] },
};
const BEFORE: RigOptions = { tools: TOOLS, plans: [PLAN] };
const withTool = (name: string, change: RigTool): RigOptions => ({
  ...BEFORE,
  tools: { ...TOOLS, [name]: { ...TOOLS[name], ...change } },
});
const why = { credential: operator('ops'), reason: 'looked at the new version' };

test('migrates', async () => {
  const first = rig(BEFORE);
  const { runId, pending } = await first.invoke();
  const later = restartProcess(first, { ...withTool('pay', { description: 'pays' }), plans: [] });
  const [gate] = pending;
  const failed = await later.runtime
    .approve(gate!.gateId, { packetHash: gate!.packetHash, credential: operator('owner'), reason: 'ok' })
    .catch((e) => e);
  console.log(failed.message);
  console.log(JSON.stringify(await later.runtime.sessions.previewMigration(runId)));
  const waiting = await later.settle(later.runtime.sessions.migrate(runId, why));
  console.log(JSON.stringify(waiting.pending), waiting.status);
  const [next] = waiting.pending;
  const done = await later.settle(
    later.runtime.approve(next!.gateId, { packetHash: next!.packetHash, credential: operator('owner'), reason: 'ok' }),
  );
  console.log(
    done.status,
    done.terminalCode,
    later.dispatches.map(({ tool }) => tool),
  );
  console.log((await later.events(runId)).map((e) => e.type).join(' '));
  const { state } = await later.runtime.records.replay(runId);
  console.log(state.manifest?.tool_registry_version);
  await later.runtime.records.trace(runId);
  expect(1).toBe(1);
});
