/** Migrations of waiting runs to newer tools: approvals are asked again, and the records still derive. */
import { expect, test } from 'vitest';
import { memoryDisk } from '../../../src/adapters/memory/disk.ts';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { type Frame, type FrameLink, GENESIS, sealFrame } from '../../../src/model/events/frame.ts';
import { replayRun } from '../../../src/replay/replay.ts';
import { recordedEnv } from '../../../src/session/recorded-env.ts';
import { verifies } from '../../requirements/verifies.ts';
import { crashDuringCall, restartProcess } from '../executing/crashed-process.ts';
import { partsOf } from '../graphs/kernel.ts';
import { handoverPacket, operator, planOf, type Rig, type RigOptions, type RigTool, rig } from '../rig.ts';
import { noticesOf } from '../sessions/notices-of.ts';

const PLAN = planOf([
  { id: 's1', tool: 'look' },
  { id: 's2', tool: 'pay', depends_on: ['s1'], params: { amount: 5 }, requires: ['GATE_OWNER'] },
  { id: 's3', tool: 'report', depends_on: ['s2'] },
]);

const PAY: RigTool = {
  approval_mode: 'destructive',
  side_effect: true,
  gates: ['GATE_OWNER'],
  input_schema: { type: 'object', properties: { amount: { type: 'integer' } } },
};

const TOOLS: NonNullable<RigOptions['tools']> = { look: {}, pay: PAY, report: { produces: ['done'] } };
const BEFORE: RigOptions = { tools: TOOLS, plans: [PLAN] };

const withTool = (name: string, change: RigTool, before: RigOptions = BEFORE): RigOptions => ({
  ...before,
  tools: { ...before.tools, [name]: { ...before.tools?.[name], ...change } },
});

const NEWER = withTool('pay', { version: '2', description: 'pays at once' });
const MIGRATE = { credential: operator('ops'), reason: 'read the new version' };

interface Gate {
  readonly gateId: string;
  readonly packetHash: string;
}

async function waitAtGate(before: RigOptions = BEFORE): Promise<{ readonly first: Rig; readonly gate: Gate }> {
  const first = rig(before);
  const { pending } = await first.invoke();
  return { first, gate: onlyGate(pending) };
}

function onlyGate(pending: readonly Gate[]): Gate {
  const [gate] = pending;
  if (gate === undefined || pending.length > 1) throw new Error(`${pending.length} gates are open`);
  return gate;
}

const nextProcess = (before: Rig, options: RigOptions, plans: NonNullable<RigOptions['plans']> = []): Rig =>
  restartProcess(before, { ...options, plans });

const approve = async ({ settle, runtime }: Rig, { gateId, packetHash }: Gate, by = 'owner') =>
  await settle(runtime.approve(gateId, { packetHash, credential: operator(by), reason: 'looked at it' }));

const migrate = async ({ settle, runtime }: Rig) => await settle(runtime.sessions.migrate('run_1', MIGRATE));

const typesOf = async (bench: Rig): Promise<readonly string[]> => (await bench.events('run_1')).map(({ type }) => type);

/** Replays the run, and checks its trace and its stored blobs. */
async function assertDerivable({ runtime }: Rig): Promise<void> {
  await runtime.records.replay('run_1');
  await runtime.records.trace('run_1');
  expect(await runtime.records.diff('run_1', 'run_1')).toMatchObject({ decisions: [] });
  await runtime.records.verify('run_1');
}

verifies(
  'resume:mismatch:operator-migrates-or-terminates',
  'a migration records each tool in both versions, the fields that differ, and the person',
  async () => {
    const { first, gate } = await waitAtGate();
    const later = nextProcess(first, NEWER);
    const own = { ...MIGRATE, credential: operator('agt_worker') };
    await expect(later.runtime.sessions.migrate('run_1', own)).rejects.toMatchObject({ code: 'permission_denied' });
    const { tools } = await later.runtime.sessions.previewMigration('run_1');
    expect(tools?.changed).toEqual([
      {
        tool: 'pay',
        from: expect.stringMatching(/^sha256:/),
        to: expect.stringMatching(/^sha256:/),
        fields: ['version', 'description'],
      },
    ]);
    const next = onlyGate((await migrate(later)).pending);
    expect((await later.events('run_1')).find((event) => event.type === 'run_migrated')).toMatchObject({
      tools,
      by: 'ops',
      reason: 'read the new version',
      proof: { credential: 'local_operator', tenant_id: 'tenant_a' },
    });
    expect(await later.runtime.gates.packet(next.packetHash)).toMatchObject({ changed_tools: tools?.changed });
    await expect(approve(later, gate)).rejects.toMatchObject({ code: 'gate_closed' });
    await expect(approve(later, { ...next, packetHash: gate.packetHash })).rejects.toMatchObject({
      code: 'grant_stale',
    });
    expect(await approve(later, next)).toMatchObject({ terminalCode: 'SUCCESS' });
    expect(later.dispatches.map(({ tool }) => tool)).toEqual(['pay', 'report']);
    expect(await noticesOf(later, 'run_1')).toEqual(expect.arrayContaining(['Session migrated', 'Session completed']));
    await assertDerivable(later);
  },
);

test('a third process continues a migrated run with the newer tools, and refuses it with the older ones', async () => {
  const { first } = await waitAtGate();
  const next = onlyGate((await migrate(nextProcess(first, NEWER))).pending);
  const older = nextProcess(first, BEFORE);
  await expect(approve(older, next)).rejects.toMatchObject({
    code: 'version_changed',
    message: expect.stringContaining('`version`, `description` differ'),
  });
  const third = nextProcess(first, NEWER);
  expect(await approve(third, next)).toMatchObject({ terminalCode: 'SUCCESS' });
  await assertDerivable(third);
});

test('the process that started the run and still holds it cannot approve the new gate', async () => {
  const disk = memoryDisk();
  const onDisk = (options: RigOptions): RigOptions => ({
    ...options,
    world: { ...options.world, journal: memoryJournal({ hash: sha256, disk }) },
  });
  const { first } = await waitAtGate(onDisk(BEFORE));
  const later = rig({ ...onDisk(NEWER), plans: [] });
  later.clock.advanceTo(first.clock.nowMs());
  const next = onlyGate((await migrate(later)).pending);
  await expect(approve(first, next)).rejects.toMatchObject({ code: 'version_changed' });
  expect(first.dispatches.map(({ tool }) => tool)).toEqual(['look']);
  expect(await approve(later, next)).toMatchObject({ terminalCode: 'SUCCESS' });
});

test('a run is migrated twice, and its packets show the last change', async () => {
  const { first } = await waitAtGate();
  const second = nextProcess(first, NEWER);
  await migrate(second);
  const third = nextProcess(first, withTool('pay', { version: '3' }));
  const gate = onlyGate((await migrate(third)).pending);
  const packet = await third.runtime.gates.packet(gate.packetHash);
  expect(packet).toMatchObject({ changed_tools: [{ tool: 'pay', fields: ['version', 'description'] }] });
  expect(await approve(third, gate)).toMatchObject({ terminalCode: 'SUCCESS' });
  await assertDerivable(third);
});

test('a migration to the version that the run began with derives too', async () => {
  const { first } = await waitAtGate();
  await migrate(nextProcess(first, NEWER));
  const back = nextProcess(first, BEFORE);
  const gate = onlyGate((await migrate(back)).pending);
  expect(await approve(back, gate)).toMatchObject({ terminalCode: 'SUCCESS' });
  await assertDerivable(back);
});

test('an approval that was given before the migration is asked for again', async () => {
  const gates = { GATE_OWNER: {}, GATE_SECOND: {} };
  const before = withTool('pay', { gates: Object.keys(gates) }, { ...BEFORE, world: { policy: { gates } } });
  const plan = planOf(PLAN.steps.map((step) => (step.id === 's2' ? { ...step, requires: Object.keys(gates) } : step)));
  const first = rig({ ...before, plans: [plan] });
  const { pending } = await first.invoke();
  const { gateId, packetHash } = onlyGate(pending);
  const yes = { packetHash, credential: operator('owner'), reason: 'looked at it', gates: ['GATE_OWNER'] };
  expect(await first.settle(first.runtime.approve(gateId, yes))).toMatchObject({ status: 'awaiting_gate' });
  const later = nextProcess(first, withTool('pay', { version: '2' }, before));
  const asked = (await migrate(later)).pending;
  expect(asked).toMatchObject([{ gates: Object.keys(gates).map((name) => ({ name, decided_by: null })) }]);
  expect(later.dispatches).toEqual([]);
  expect(await approve(later, onlyGate(asked))).toMatchObject({ terminalCode: 'SUCCESS' });
  await assertDerivable(later);
});

test('an approved plan is approved again before its next step', async () => {
  const before: RigOptions = { ...BEFORE, options: { graph: 'supervised' } };
  const { first, gate } = await waitAtGate(before);
  const atCall = onlyGate((await approve(first, gate)).pending);
  expect((await first.runtime.gates.packet(atCall.packetHash))['kind']).toBe('action');
  const later = nextProcess(first, withTool('report', { version: '2' }, before));
  const again = onlyGate((await migrate(later)).pending);
  expect(await later.runtime.gates.packet(again.packetHash)).toMatchObject({
    kind: 'plan',
    changed_tools: [{ tool: 'report' }],
  });
  const call = onlyGate((await approve(later, again)).pending);
  expect(await approve(later, call)).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(later.dispatches.map(({ tool }) => tool)).toEqual(['pay', 'report']);
  await assertDerivable(later);
});

test('a plan gate is asked again', async () => {
  const before: RigOptions = { ...BEFORE, options: { graph: 'supervised' } };
  const { first, gate } = await waitAtGate(before);
  const later = nextProcess(first, withTool('pay', { version: '2' }, before));
  await expect(approve(later, gate)).rejects.toMatchObject({ code: 'version_changed' });
  const again = onlyGate((await migrate(later)).pending);
  expect((await later.runtime.gates.packet(again.packetHash))['kind']).toBe('plan');
  const call = onlyGate((await approve(later, again)).pending);
  expect(await approve(later, call)).toMatchObject({ terminalCode: 'SUCCESS' });
  await assertDerivable(later);
});

verifies(
  'resume:mismatch:operator-migrates-or-terminates',
  'a call under way with the changed tool is not migrated, and the run can be ended',
  async () => {
    const before = withTool('pay', { approval_mode: 'local_write', gates: [] }, BEFORE);
    const plan = planOf(PLAN.steps.map(({ requires: _, ...step }) => step));
    const first = await crashDuringCall('pay', { ...before, plans: [plan] });
    const later = nextProcess(first, withTool('pay', { version: '2' }, before));
    const refused = await later.runtime.resume('run_1').catch((error: unknown) => error as Error);
    expect(refused).toMatchObject({ code: 'version_changed' });
    expect((refused as Error).message).not.toContain('sessions migrate');
    expect((refused as Error).message).toContain('`ambit sessions terminate run_1 --reason "pay changed"`');
    await expect(migrate(later)).rejects.toMatchObject({
      code: 'call_in_doubt',
      message: expect.stringContaining('A call that uses pay is under way or in doubt'),
    });
    expect(await typesOf(later)).not.toContain('run_migrated');
    expect(await later.settle(later.runtime.sessions.terminate('run_1', MIGRATE))).toMatchObject({
      terminalCode: 'USER_CANCEL',
    });
  },
);

test('a call under way with an unchanged tool is made again, and the rest of the plan is verified again', async () => {
  const first = await crashDuringCall('look', BEFORE);
  const later = nextProcess(first, withTool('report', { version: '2' }));
  await expect(later.runtime.resume('run_1')).rejects.toMatchObject({ code: 'version_changed' });
  const gate = onlyGate((await migrate(later)).pending);
  expect(later.dispatches.map(({ tool }) => tool)).toEqual(['look']);
  const types = await typesOf(later);
  expect(types.slice(types.indexOf('run_migrated'))).toEqual([
    'run_migrated',
    'run_reloaded',
    'step_observed',
    'step_verified',
    'step_committed',
    'step_judged',
    'plan_verified',
    'step_cleared',
    'gate_opened',
  ]);
  expect(await approve(later, gate)).toMatchObject({ terminalCode: 'SUCCESS' });
  await assertDerivable(later);
});

test('a plan that does not fit the newer tool between two steps goes back to the planner', async () => {
  const first = await crashDuringCall('look', BEFORE);
  const required = { ...PAY.input_schema, required: ['amount', 'currency'] };
  const fixed = planOf(
    PLAN.steps.map((step) => (step.id === 's2' ? { ...step, params: { amount: 5, currency: 'EUR' } } : step)),
    { plan_id: 'plan_2' },
  );
  const loose = withTool('pay', { approval_mode: 'network', gates: ['GATE_OWNER'], input_schema: required });
  const later = nextProcess(first, loose, [fixed]);
  const gate = onlyGate((await migrate(later)).pending);
  expect(await later.runtime.gates.packet(gate.packetHash)).toMatchObject({
    parameters: { amount: 5, currency: 'EUR' },
  });
  expect(await approve(later, gate)).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(later.dispatches.map(({ tool }) => tool)).toEqual(['look', 'pay', 'report']);
  await assertDerivable(later);
});

test('a run that is paused stays paused, and verifies its plan when it is resumed', async () => {
  const first = await crashDuringCall('look', BEFORE);
  const same = nextProcess(first, BEFORE);
  await same.runtime.sessions.pause('run_1', MIGRATE);
  const later = nextProcess(first, NEWER);
  expect(await migrate(later)).toMatchObject({ status: 'paused' });
  const gate = onlyGate((await later.settle(later.runtime.sessions.resume('run_1', operator('ops')))).pending);
  expect(await typesOf(later)).toContain('run_migrated');
  expect(await approve(later, gate)).toMatchObject({ terminalCode: 'SUCCESS' });
  await assertDerivable(later);
});

test('a run that was handed over goes on after another deploy', async () => {
  const { first } = await waitAtGate();
  const { report: _, ...others } = TOOLS;
  const without = nextProcess(first, { tools: { ...others, write: { produces: ['done'] } } });
  const handed = await migrate(without);
  expect(handed).toMatchObject({ status: 'paused', suspended: { reason: 'plan_rejected' } });
  const fixed = nextProcess(first, withTool('report', { version: '2' }));
  expect(await migrate(fixed)).toMatchObject({ status: 'paused' });
  const [, second] = (await fixed.events('run_1')).filter((event) => event.type === 'run_migrated');
  expect(second).toMatchObject({ tools: { changed: [{ tool: 'report', from: null, fields: ['name'] }] } });
  const { packet_hash: packetHash } = handoverPacket(await fixed.runtime.sessions.get('run_1'));
  const decided = fixed.runtime.sessions.decideEscalation('run_1', { ...MIGRATE, decision: 'continue', packetHash });
  const gate = onlyGate((await fixed.settle(decided)).pending);
  expect(await approve(fixed, gate)).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(fixed.dispatches.map(({ tool }) => tool)).toEqual(['pay', 'report']);
  await assertDerivable(fixed);
});

test('a compensation whose tool has changed is asked for again', async () => {
  const undo = { probes: { compensate: 'refund' }, probing: { compensate: { args: () => ({}) } } } as const;
  const before: RigOptions = {
    tools: {
      book: { approval_mode: 'local_write', side_effect: true, ...undo },
      refund: { approval_mode: 'destructive', side_effect: true, gates: ['GATE_OWNER'] },
      ...TOOLS,
    },
    plans: [planOf([{ id: 's0', tool: 'book' }, ...PLAN.steps.map((step) => step)])],
  };
  const { first } = await waitAtGate(before);
  const cancelled = await first.settle(first.runtime.sessions.cancel('run_1', MIGRATE));
  const gate = onlyGate(cancelled.pending);
  const later = nextProcess(first, withTool('refund', { version: '2' }, withTool('report', { version: '2' }, before)));
  await expect(approve(later, gate)).rejects.toMatchObject({
    code: 'version_changed',
    message: expect.stringMatching(/^tool refund .*Accept the change with `ambit sessions migrate run_1 [^`]*`\.$/),
  });
  const again = onlyGate((await migrate(later)).pending);
  expect(await later.runtime.gates.packet(again.packetHash)).toMatchObject({ changed_tools: [{ tool: 'refund' }] });
  expect(await approve(later, again)).toMatchObject({ terminalCode: 'USER_CANCEL' });
  expect(later.dispatches.map(({ tool }) => tool)).toEqual(['refund']);
  await assertDerivable(later);
});

test('pack and tools are migrated together', async () => {
  const { first } = await waitAtGate();
  const moved: RigOptions = {
    ...NEWER,
    agent: (agent) => ({ ...agent, pins: { ...agent.pins, pack_pin: 'ctxpack.bench@2.0.0' } }),
  };
  const later = nextProcess(first, moved);
  const gate = onlyGate((await migrate(later)).pending);
  expect((await later.runtime.records.replay('run_1')).state.manifest?.pack_pin).toBe('ctxpack.bench@2.0.0');
  expect(await approve(later, gate)).toMatchObject({ terminalCode: 'SUCCESS' });
  await assertDerivable(later);
});

test('a journal whose migration names other changes than it makes does not replay', async () => {
  const { first } = await waitAtGate();
  const later = nextProcess(first, NEWER);
  await migrate(later);
  const frames = await later.runtime.records.frames('run_1');
  const { pins, critic, schemas } = partsOf(NEWER);
  const env = await recordedEnv(later.journal, pins.env, schemas(), await later.events('run_1'));
  const forge = (fields: string): readonly Frame[] => {
    let prev: FrameLink = GENESIS;
    return frames.map((frame) => {
      const events = frame.events.replace('"fields":["version","description"]', fields);
      const sealed = sealFrame({ ...frame, events, prev }, sha256);
      prev = sealed.hash;
      return sealed;
    });
  };
  expect(() => replayRun({ env, critic }, forge('"fields":["version","description"]'))).not.toThrow();
  expect(() => replayRun({ env, critic }, forge('"fields":["version"]'))).toThrow(
    'a migration that changes other tools than it names',
  );
  const { migrated: _, ...before } = env;
  expect(() => replayRun({ env: before, critic }, frames)).toThrow('a migration to tools that are not recorded here');
});

test('a migrated run is exported, imported, and replayed by another process', async () => {
  const { first } = await waitAtGate();
  const later = nextProcess(first, NEWER);
  await approve(later, onlyGate((await migrate(later)).pending));
  const bundle = await later.runtime.records.export('run_1');
  const elsewhere = rig({ ...BEFORE, world: { journal: memoryJournal({ hash: sha256 }) } });
  await elsewhere.runtime.records.import(bundle);
  await assertDerivable(elsewhere);
});

test('a fork uses the tools that the run had at its checkpoint', async () => {
  const { first } = await waitAtGate();
  const later = nextProcess(first, NEWER);
  await approve(later, onlyGate((await migrate(later)).pending));
  const { state_checkpoints } = await later.runtime.records.trace('run_1');
  const after = state_checkpoints.findLast(({ judged }) => judged === 'step');
  const before = state_checkpoints.find(({ judged }) => judged === 'step');
  const forked = await later.settle(later.runtime.records.fork('run_1', { at: String(after?.checkpoint_id) }));
  expect(forked).toMatchObject({ terminalCode: 'SUCCESS' });
  await later.runtime.records.replay(forked.runId);
  await expect(later.runtime.records.fork('run_1', { at: String(before?.checkpoint_id) })).rejects.toMatchObject({
    code: 'version_changed',
  });
  const older = nextProcess(first, BEFORE);
  const early = await older.settle(older.runtime.records.fork('run_1', { at: String(before?.checkpoint_id) }));
  expect(early).toMatchObject({ status: 'awaiting_gate' });
});
