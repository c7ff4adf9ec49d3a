import { deepEqual, equal } from 'node:assert/strict';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import type { ForkOptions } from '../../../src/runtime/records/fork-run.ts';
import { countingIds, operator, planOf, type Rig, type RigOptions, rig } from '../../runs/rig.ts';
import type { Attack, Battery } from '../battery.ts';

const OPTIONS: RigOptions = {
  tools: {
    look: { execute: () => ({ total: 42 }) },
    search: { execute: () => ({ found: 1 }) },
    pay: { approval_mode: 'destructive', side_effect: true, gates: ['GATE_A'], produces: ['done'] },
  },
  plans: [
    planOf([
      { id: 'a', tool: 'look' },
      { id: 'b', tool: 'search', params: { q: 'payroll' }, depends_on: ['a'] },
      { id: 'c', tool: 'pay', requires: ['GATE_A'], depends_on: ['b'] },
    ]),
  ],
};
const VERDICTS = ['ck_run_1_1', 'ck_run_1_2', 'ck_run_1_3'];
const FOR_REAL = { simulate: false, credential: operator('ben', ['operator']), reason: 'really' } as const;

async function approveAll(bench: Rig, runId: string): Promise<void> {
  const { pending } = await bench.runtime.sessions.get(runId);
  for (const { gateId, packetHash } of pending) {
    const yes = { packetHash, credential: operator('ana'), reason: 'fine' };
    await bench.settle(bench.runtime.approve(gateId, yes));
  }
}

/** A runtime that has imported the bundle of a stranger. */
async function withBundle(): Promise<Rig> {
  const stranger = rig(OPTIONS);
  const identity = {
    actor: 'ceo',
    tenant_id: 'tenant_a',
    roles: ['worker'],
    scopes: ['all'],
    expires_at: 4_000_000_000_000,
  };
  const { runId } = await stranger.invoke({ identity });
  await approveAll(stranger, runId);
  const names = countingIds();
  const ids = { next: (prefix: string) => names.next(`${prefix}_there`) };
  const here = rig({ ...OPTIONS, plans: [], world: { ids, journal: memoryJournal({ hash: sha256 }) } });
  await here.runtime.records.import(await stranger.runtime.records.export(runId));
  return here;
}

async function assertNoCalls(here: Rig, runId: string, options: ForkOptions): Promise<string> {
  const forked = await here.settle(here.runtime.records.fork(runId, options));
  await approveAll(here, forked.runId);
  deepEqual(here.dispatches, []);
  await here.runtime.records.replay(forked.runId);
  return forked.runId;
}

const defaults: Attack = {
  name: 'a fork of an imported run with the defaults makes no call',
  run: async ({ attempt }) => {
    const here = await withBundle();
    for (const at of VERDICTS) {
      await attempt(at, () => assertNoCalls(here, 'run_1', { at }));
      await attempt(`${at} with an answer`, () => assertNoCalls(here, 'run_1', { at, answers: { pay: { paid: 0 } } }));
    }
  },
};

/** Options that are not what their types say, and places that are not in the imported run. */
const WRONG: Readonly<Record<string, unknown>> = {
  'a verdict of another run': { at: 'ck_run_2_1' },
  'a verdict that is not there': { at: 'ck_run_1_99' },
  'no verdict': { at: '' },
  'a path': { at: '../run_1' },
  'simulate as a text': { at: VERDICTS[0], simulate: 'false' },
  'simulate as a number': { at: VERDICTS[0], simulate: 0 },
  'an option that is none': { at: VERDICTS[0], real: true },
};

const wrong: Attack = {
  name: 'a fork with wrong options is refused',
  run: async ({ attempt, refuses }) => {
    const here = await withBundle();
    for (const [how, options] of Object.entries(WRONG))
      await refuses(how, () => here.settle(here.runtime.records.fork('run_1', options as ForkOptions)));
    await attempt('no call was dispatched', () => equal(here.dispatches.length, 0));
  },
};

const real: Attack = {
  name: 'an imported run, or a fork of one, is never forked for real',
  run: async ({ attempt, refuses }) => {
    const here = await withBundle();
    const fork = (runId: string, at: string) => here.settle(here.runtime.records.fork(runId, { at, ...FOR_REAL }));
    for (const at of VERDICTS) await refuses(at, () => fork('run_1', at), 'state_write_refused');
    const first = await assertNoCalls(here, 'run_1', { at: VERDICTS[0] ?? '' });
    await refuses('a fork', () => fork(first, `ck_${first}_1`), 'state_write_refused');
    await attempt('a fork of a fork makes no call', async () => {
      const second = await assertNoCalls(here, first, { at: `ck_${first}_1` });
      await refuses('a fork of a fork', () => fork(second, `ck_${second}_1`), 'state_write_refused');
    });
    await refuses('resume', () => here.settle(here.runtime.sessions.resume('run_1', operator('ben'))));
    await attempt('no call was dispatched', () => equal(here.dispatches.length, 0));
  },
};

const requester: Attack = {
  name: 'only an operator forks for real, and never the requester',
  run: async ({ attempt, refuses }) => {
    const bench = rig(OPTIONS);
    await approveAll(bench, (await bench.invoke()).runId);
    const sent = bench.dispatches.length;
    const fork = (name: string, roles: readonly string[]) =>
      bench.settle(
        bench.runtime.records.fork('run_1', { at: 'ck_run_1_2', ...FOR_REAL, credential: operator(name, roles) }),
      );
    await refuses('the requester', () => fork('agt_worker', ['operator']), 'permission_denied');
    await refuses('in another case', () => fork('AGT_WORKER', ['operator']), 'permission_denied');
    await refuses('without a role', () => fork('ben', []), 'operator_required');
    await refuses('with another role', () => fork('ben', ['finance']), 'operator_required');
    await refuses('with a role of another spelling', () => fork('ben', ['Operator']), 'operator_required');
    await refuses('without a credential', () =>
      bench.settle(bench.runtime.records.fork('run_1', { at: 'ck_run_1_2', simulate: false })),
    );
    await attempt('no call was dispatched', () => equal(bench.dispatches.length, sent));
    const invented = await bench.settle(
      bench.runtime.records.fork('run_1', { at: 'ck_run_1_1', answers: { pay: { paid: 0 } } }),
    );
    await refuses(
      'a simulated past',
      () => bench.settle(bench.runtime.records.fork(invented.runId, { at: `ck_${invented.runId}_1`, ...FOR_REAL })),
      'state_write_refused',
    );
  },
};

export const forks: Battery = { name: 'forks', attacks: [defaults, wrong, real, requester] };
