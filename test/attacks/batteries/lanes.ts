import assert, { deepEqual, equal, match } from 'node:assert/strict';
import { memoryDisk } from '../../../src/adapters/memory/disk.ts';
import type { KillScope } from '../../../src/model/gate/kill-switch.ts';
import type { SecurityToken } from '../../../src/model/run/identity.ts';
import { dispatched } from '../../runs/lanes/bench.ts';
import { assertRaceHeld, raceCancelAndYes } from '../../runs/lanes/cancel-races.ts';
import { changeToken } from '../../runs/lanes/change-token.ts';
import {
  ANSWER,
  calledTools,
  cancelAndDie,
  insideLane,
  openProcess,
  serveAt,
} from '../../runs/lanes/dying-processes.ts';
import { chief, payingBoss } from '../../runs/lanes/paying-boss.ts';
import { passTurns } from '../../runs/pass-turns.ts';
import { REQUEST, START_MS } from '../../runs/rig.ts';
import type { Attack, Battery } from '../battery.ts';
import { CONTINUING, storedWorker } from '../stored-worker.ts';

const AGENTS = { 'in a lane': payingBoss, 'in a lane of a lane': chief } as const;

const cancelled: Attack = {
  name: 'a cancelled run pays through its lane',
  run: async ({ attempt }) => {
    for (const [where, declare] of Object.entries(AGENTS)) {
      await attempt(`${where}, after the canceller died`, async () => {
        dispatched.length = 0;
        const disk = memoryDisk();
        const waiting = await openProcess(disk, true, declare).invoke();
        await cancelAndDie(disk, waiting.runId, declare);
        await openProcess(disk, false, declare)
          .approve(waiting)
          .catch(() => null);
        deepEqual(calledTools(), []);
      });
      for (const laterMs of [31_000, 61_000, 600_000]) {
        await attempt(`${where}, and is open ${laterMs} ms later`, async () => {
          dispatched.length = 0;
          const disk = memoryDisk();
          const waiting = await openProcess(disk, true, declare).invoke();
          await cancelAndDie(disk, waiting.runId, declare);
          const server = openProcess(disk, false, declare);
          deepEqual(await serveAt(server, START_MS + laterMs), []);
          deepEqual(
            (await server.journal.list({})).filter(({ terminal_code }) => terminal_code === null),
            [],
          );
          deepEqual(calledTools(), []);
        });
      }
    }
    for (let seed = 500; seed < 506; seed += 1) {
      await attempt(`a race with a yes, seed ${seed}`, async () => assertRaceHeld(seed, await raceCancelAndYes(seed)));
    }
  },
};

const paused: Attack = {
  name: 'a paused run acts through its lane',
  run: async ({ attempt }) => {
    for (const how of ['pause', 'interrupt'] as const) {
      await attempt(how, async () => {
        dispatched.length = 0;
        const { rig, running, land } = await insideLane();
        const pausing = rig.runtime.sessions[how]('run_1', ANSWER);
        while ((await rig.of('run_1', 'run_paused')).length === 0) await passTurns(1);
        land();
        await rig.settle(Promise.all([pausing, running]));
        deepEqual(calledTools(), ['look']);
      });
    }
  },
};

const SWITCHES: readonly KillScope[] = [
  { tool: 'do_work' },
  { agent: 'boss', tool: 'do_work' },
  { agent: 'boss/do_work', tool: 'do_work' },
  { tenant: 'tenant_a', tool: 'do_work' },
  { agent: 'worker', tool: 'do_work' },
];

const switched: Attack = {
  name: 'an open lane goes on under a kill switch on its lane tool',
  run: async ({ attempt }) => {
    for (const scope of SWITCHES) {
      await attempt(JSON.stringify(scope), async () => {
        dispatched.length = 0;
        const { rig, running, land } = await insideLane();
        const thrown = { by: 'ana', reason: 'this delegation is wrong', at: START_MS };
        await rig.journal.throwSwitch({ switch_id: 'switch_1', scope, thrown, lifted: null });
        land();
        await rig.settle(running);
        deepEqual(calledTools(), ['look']);
      });
    }
  },
};

const direct: Attack = {
  name: 'a worker is invoked without its lane',
  run: async ({ refuses }) => {
    const { runtime } = openProcess(memoryDisk(), true);
    const deep = openProcess(memoryDisk(), true, chief).runtime;
    const short = { message: 'pay 5', user: REQUEST.identity };
    const denied = 'permission_denied';
    await refuses('by name', () => runtime.invoke('boss/do_pay', short), denied);
    await refuses('by name, with start', () => runtime.start('boss/do_pay', short).settled, denied);
    await refuses('by an envelope', () => runtime.invoke({ ...REQUEST, agent: 'boss/do_pay' }), denied);
    await refuses('by a tenant', () => runtime.within(REQUEST.identity).invoke('boss/do_pay', short), denied);
    await refuses('two levels deep', () => deep.invoke('chief/do_boss/do_pay', short), denied);
    await refuses('one level deep', () => deep.invoke('chief/do_boss', short), denied);
  },
};

const RIGHTS: readonly (readonly [string, Partial<SecurityToken>, RegExp])[] = [
  ['authority for destructive calls', { approval_authority: 'delegated' }, /authority for destructive calls/],
  ['a tool', { allowed_tools: ['do_pay'] }, /may use pay/],
  ['a role', { roles: [] }, /has the role worker/],
];

const rights: Attack = {
  name: 'a lane has rights that its parent lacks',
  run: async ({ attempt }) => {
    for (const [right, change, why] of RIGHTS) {
      await attempt(right, async () => {
        dispatched.length = 0;
        const disk = memoryDisk();
        const waiting = await openProcess(disk, true).invoke();
        changeToken(disk, waiting.runId, change);
        const rig = openProcess(disk, false);
        await rig.approve(waiting);
        const [lane = ''] = await rig.lanes(waiting.runId);
        const [refused] = await rig.of(lane, 'step_refused');
        equal(refused?.code, 'approval_authority_exceeded');
        assert.ok(refused !== undefined);
        match(refused.message, why);
        deepEqual(calledTools(), []);
      });
    }
  },
};

const stored: Attack = {
  name: 'a stored run of a worker acts without its lane',
  run: async ({ attempt }) => {
    for (const [name, act] of CONTINUING) {
      await attempt(`continued by ${name}`, async () => {
        const { said, called, ended } = await storedWorker(act);
        match(said, /run_1 is a run of boss\/do_pay outside its lane/);
        deepEqual([called, ended], [[], 'USER_CANCEL']);
      });
    }
  },
};

export const lanes: Battery = { name: 'lanes', attacks: [cancelled, paused, switched, direct, stored, rights] };
