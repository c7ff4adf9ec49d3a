/** Deploys under a run that waits at a gate: which changes let it continue, and which ones need a decision. */
import { describe, expect, test } from 'vitest';
import { modelProfile, reactive } from '../../../src/index.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import { verifies } from '../../requirements/verifies.ts';
import { restartProcess } from '../executing/crashed-process.ts';
import { decide } from '../reactive/bench.ts';
import { operator, planOf, type Rig, type RigOptions, type RigTool, rig } from '../rig.ts';
import { BEFORE, DEPLOYS, judgeOf, type Migration, TOOLS, withJudges, withPlanner, withTool } from './kinds.ts';

/** A run that waits at the gate of `pay`, and the process after the deploy. */
async function deploy(
  after: RigOptions,
  plans: NonNullable<RigOptions['plans']> = [],
  before: RigOptions = BEFORE,
): Promise<{ readonly newer: Rig; readonly runId: string; readonly gate: Gate }> {
  const first = rig(before);
  const { runId, status, pending } = await first.invoke();
  expect(status).toBe('awaiting_gate');
  const [gate] = pending;
  if (gate === undefined) throw new Error('no gate is open');
  return { newer: restartProcess(first, { ...after, plans }), runId, gate };
}

interface Gate {
  readonly gateId: string;
  readonly packetHash: string;
}

const answerTo = ({ packetHash }: Gate) => ({ packetHash, credential: operator('owner'), reason: 'looked at it' });

const MIGRATE = { credential: operator('ops'), reason: 'read the new version' };

const RESULTS: Readonly<Record<Migration, string>> = {
  nothing: 'has nothing to accept',
  'asks again': 'closes the gate and asks again',
  'is handed over': 'closes the gate and hands the run over',
  'is refused': 'is refused',
};

const faultOf = async (promise: Promise<unknown>): Promise<Error & { readonly code: string }> =>
  await promise.then(
    () => {
      throw new Error('there was no fault');
    },
    (error: unknown) => error as Error & { readonly code: string },
  );

const approve = async (bench: Rig, { gateId, ...gate }: Gate) =>
  await bench.settle(bench.runtime.approve(gateId, answerTo({ gateId, ...gate })));

for (const [what, after, expected, before] of DEPLOYS) {
  const title = expected.parts === null ? 'continues' : 'refuses to continue and names the change';
  verifies('resume:deploy:unused-change-does-not-strand', `${what}: ${title}`, async () => {
    const { newer, runId, gate } = await deploy(after, [], before);
    if (expected.parts === null) {
      expect(await approve(newer, gate)).toMatchObject({ terminalCode: 'SUCCESS' });
      expect(newer.dispatches.map(({ tool }) => tool)).toEqual(['pay', 'check', 'report']);
      await newer.runtime.records.replay(runId);
      return;
    }
    const fault = await faultOf(approve(newer, gate));
    expect(fault.code).toBe('version_changed');
    for (const part of expected.parts) expect(fault.message).toContain(part);
    expect(fault.message).toContain(`ambit sessions terminate ${runId}`);
    expect(fault.message.includes(`ambit sessions migrate ${runId}`)).toBe(expected.migration !== 'is refused');
    expect(newer.dispatches).toEqual([]);
    const types = (await newer.events(runId)).map(({ type }) => type);
    expect(types).not.toContain('decision_refused');
    expect(types).not.toContain('gate_decided');
    expect(await newer.runtime.sessions.get(runId)).toMatchObject({ status: 'awaiting_gate' });
  });

  verifies(
    'resume:mismatch:operator-migrates-or-terminates',
    `${what}: a migration ${RESULTS[expected.migration]}`,
    async () => {
      const { newer, runId, gate } = await deploy(after, [], before);
      const migrating = newer.settle(newer.runtime.sessions.migrate(runId, MIGRATE));
      if (expected.migration === 'nothing' || expected.migration === 'is refused') {
        const code = expected.migration === 'nothing' ? 'pin_immutable' : 'version_changed';
        expect((await faultOf(migrating)).code).toBe(code);
        expect((await newer.events(runId)).map(({ type }) => type)).not.toContain('run_migrated');
        expect(await newer.runtime.sessions.get(runId)).toMatchObject({ status: 'awaiting_gate' });
        return;
      }
      const { status, pending, suspended } = await migrating;
      expect(newer.dispatches).toEqual([]);
      expect((await faultOf(approve(newer, gate))).code).toBe('gate_closed');
      const { state } = await newer.runtime.records.replay(runId);
      expect(state.work.progress.size).toBe(3);
      if (expected.migration === 'is handed over') {
        expect({ status, pending, reason: suspended?.reason }).toEqual({
          status: 'paused',
          pending: [],
          reason: 'plan_rejected',
        });
        return;
      }
      const [next] = pending;
      expect(next?.packetHash).not.toBe(gate.packetHash);
      expect(await approve(newer, next as Gate)).toMatchObject({ terminalCode: 'SUCCESS' });
      expect(newer.dispatches.filter(({ tool }) => tool === 'look')).toEqual([]);
      await newer.runtime.records.replay(runId);
      await newer.runtime.records.trace(runId);
    },
  );

  const endings: readonly (readonly [string, (rig: Rig, runId: string, gate: Gate) => Promise<unknown>, string])[] = [
    ['reject', ({ runtime }, _, gate) => runtime.gates.reject(gate.gateId, answerTo(gate)), 'PERMISSION_DENIED'],
    [
      'cancel',
      ({ runtime }, id) => runtime.sessions.cancel(id, { credential: operator('ops'), reason: 'enough' }),
      'USER_CANCEL',
    ],
    [
      'a cancellation by the requester',
      ({ runtime }, id) => runtime.sessions.send(id, { type: 'run_cancelled', by: 'agt_worker', reason: 'enough' }),
      'USER_CANCEL',
    ],
    [
      'terminate',
      ({ runtime }, id) => runtime.sessions.terminate(id, { credential: operator('ops'), reason: 'enough' }),
      'USER_CANCEL',
    ],
  ];
  for (const [how, end, terminalCode] of endings) {
    verifies('resume:deploy:unused-change-does-not-strand', `${what}: ${how} ends the run`, async () => {
      const { newer, runId, gate } = await deploy(after, [], before);
      expect(await newer.settle(end(newer, runId, gate))).toMatchObject({ terminalCode });
      expect(newer.dispatches).toEqual([]);
    });
  }
  verifies('resume:deploy:unused-change-does-not-strand', `${what}: the run expires with its gate`, async () => {
    const { newer, runId } = await deploy(after, [], before);
    const [open] = await newer.journal.gates({ session: runId });
    newer.clock.advanceTo((open?.expires_at ?? 0) - 1);
    await newer.runtime.resume(runId).catch(() => undefined);
    expect(await newer.runtime.sessions.get(runId)).toMatchObject({ status: 'awaiting_gate' });
    newer.clock.advanceTo(open?.expires_at ?? 0);
    const expired = { status: 'expired', terminalCode: 'CONFIRM_REQUIRED', reason: 'gate_expired' };
    expect(await newer.runtime.resume(runId)).toMatchObject(expired);
    expect(newer.dispatches).toEqual([]);
    if (expected.migration !== 'is refused') await newer.runtime.records.replay(runId);
  });
}

test('a run keeps the descriptions of the tools that it was planned with', async () => {
  const { newer, runId } = await deploy(withTool('spare', { description: 'other words' }));
  const begun = (await newer.events(runId)).find((event) => event.type === 'run_initialized');
  const registry = JSON.parse(await newer.journal.blob(begun?.manifest.tool_registry_version as never)) as readonly {
    readonly name: string;
    readonly description: string;
  }[];
  expect(registry.find(({ name }) => name === 'spare')?.description).toBe('spare');
});

test('a run that has to plan again under another planner is handed over, and names both', async () => {
  const fails: RigTool = { execute: () => Promise.reject(new Error('down')) };
  const { newer, runId, gate } = await deploy({
    ...withPlanner('another'),
    tools: { ...TOOLS, report: { ...TOOLS['report'], ...fails } },
  });
  expect(await approve(newer, gate)).toMatchObject({ status: 'paused', suspended: { reason: 'version_changed' } });
  const failed = (await newer.events(runId)).find((event) => event.type === 'plan_failed');
  expect(failed?.message).toBe('the run was made with the planner scripted, but this process has another');
  expect(newer.planner.requests).toEqual([]);
});

test('a later plan may not use a tool that has changed since the run was planned', async () => {
  const spare = planOf([{ id: 's4', tool: 'spare' }], { plan_id: 'plan_2' });
  const report = { ...TOOLS['report'], execute: () => Promise.reject(new Error('down')) };
  const { newer, runId, gate } = await deploy(
    {
      ...BEFORE,
      tools: { ...TOOLS, report, spare: { description: 'other words' } },
    },
    [spare, spare],
  );
  await approve(newer, gate);
  const refused = (await newer.events(runId)).filter((event) => event.type === 'step_refused');
  expect(refused[0]).toMatchObject({
    step_id: 's4',
    code: 'version_changed',
    message: expect.stringContaining('`description`'),
  });
  expect(newer.dispatches.map(({ tool }) => tool)).not.toContain('spare');
});

describe('a reactive run that waits at a gate', () => {
  // The goal needs the evidence of `report`, so the model is asked again after the payment.
  const PAYING = {
    tools: {
      pay: { approval_mode: 'destructive', side_effect: true, gates: ['GATE_OWNER'] },
      report: { produces: ['done'] },
    },
  } as const satisfies RigOptions;
  const namedModel = (id: string, ...turns: readonly object[]) => ({ ...scriptedModel(turns), id });
  const reactiveWith = (model: ReturnType<typeof namedModel>): RigOptions => ({
    ...PAYING,
    options: { planner: reactive({ model: modelProfile(model, { price: 'free' }) }) } as RigOptions['options'] & object,
  });

  async function waiting(): Promise<{ readonly newer: Rig; readonly runId: string; readonly gate: Gate }> {
    const first = rig(reactiveWith(namedModel('model_a', decide('pay'))));
    const { runId, pending } = await first.invoke();
    const newer = restartProcess(first, { ...reactiveWith(namedModel('model_b')), plans: [] });
    return { newer, runId, gate: pending[0] as Gate };
  }

  verifies(
    'resume:deploy:unused-change-does-not-strand',
    'makes the approved call under another model, and a person decides how it goes on',
    async () => {
      const { newer, runId, gate } = await waiting();
      expect(await approve(newer, gate)).toMatchObject({ status: 'paused', suspended: { reason: 'version_changed' } });
      expect(newer.dispatches.map(({ tool }) => tool)).toEqual(['pay']);
      const failed = (await newer.events(runId)).find((event) => event.type === 'plan_failed');
      expect(failed?.message).toContain('the run was made with the planner model_a, but this process has model_b');
      await newer.runtime.records.replay(runId);
    },
  );

  verifies('resume:deploy:unused-change-does-not-strand', 'can be rejected under another model', async () => {
    const { newer, gate } = await waiting();
    const rejected = await newer.settle(newer.runtime.gates.reject(gate.gateId, answerTo(gate)));
    expect(rejected).toMatchObject({ terminalCode: 'PERMISSION_DENIED' });
    expect(newer.dispatches).toEqual([]);
  });
});

test('a judge with another model gives no answer about steps of a later plan', async () => {
  const report = { ...TOOLS['report'], execute: () => Promise.reject(new Error('down')) };
  const again = planOf([{ id: 's4', tool: 'spare' }], { plan_id: 'plan_2' });
  const before = { ...withJudges(judgeOf('spare', 'a')), tools: { ...TOOLS, report } };
  const after = { ...withJudges(judgeOf('spare', 'b')), tools: { ...TOOLS, report } };
  const { newer, runId, gate } = await deploy(after, [again, again], before);
  await approve(newer, gate);
  const answered = (await newer.events(runId)).filter((event) => event.type === 'judges_answered');
  expect(answered[0]?.answers).toMatchObject([{ judge: 'spare_reader@1', outcome: 'failed' }]);
});
