import { deepEqual, equal, match, rejects } from 'node:assert/strict';
import { memoryDisk } from '../../../src/adapters/memory/disk.ts';
import { restartProcess } from '../../runs/executing/crashed-process.ts';
import { cancelAndDie, openProcess, serveAt } from '../../runs/lanes/dying-processes.ts';
import { passTurns } from '../../runs/pass-turns.ts';
import { neverAnswers, operator, planOf, REQUEST, type Rig, rig, START_MS } from '../../runs/rig.ts';
import { DAMAGE, ROW_DAMAGE, serveThree, sharedFile, threeSessions } from '../../runs/sessions/damaged-store.ts';
import type { Attack, Battery } from '../battery.ts';

/** Does `work` with a process on a store in which the second of three sessions is damaged. */
async function onDamaged(damage: string, work: (later: Rig) => Promise<unknown>): Promise<void> {
  const file = sharedFile();
  try {
    const later = await threeSessions(file, damage);
    await work(later);
    await later.runtime.close();
  } finally {
    file.remove();
  }
}

const [ANY = ''] = Object.values(DAMAGE);

const damaged: Attack = {
  name: 'one damaged session ends serve for all sessions',
  run: async ({ attempt }) => {
    for (const [how, damage] of Object.entries({ ...DAMAGE, ...ROW_DAMAGE })) {
      await attempt(how, () =>
        onDamaged(damage, async (later) => {
          const { told, failed, served } = await serveThree(later);
          deepEqual([told, failed], [['run_first_2'], ['run_first_2']]);
          deepEqual(served, { driven: 2, failed: 1, quarantined: ['run_first_2'] });
          deepEqual(
            (await later.runtime.sessions.damaged()).map(({ runId }) => runId),
            ['run_first_2'],
          );
        }),
      );
    }
  },
};

const CALLBACKS: Readonly<Record<string, () => unknown>> = {
  throws: () => {
    throw new Error('the pager is down');
  },
  rejects: () => Promise.reject(new Error('the pager is down')),
  'rejects with nothing': () => Promise.reject(),
};

const callbacks: Attack = {
  name: 'a callback of the host ends serve',
  run: async ({ attempt }) => {
    for (const [how, callback] of Object.entries(CALLBACKS)) {
      await attempt(how, () =>
        onDamaged(ANY, async (later) => {
          const { served } = await serveThree(later, callback);
          deepEqual(served, { driven: 2, failed: 1, quarantined: ['run_first_2'] });
        }),
      );
    }
  },
};

const LOOPS: Readonly<Record<string, (later: Rig) => Promise<readonly unknown[]>>> = {
  resumeAll: async ({ runtime, settle }) =>
    (await settle(runtime.sessions.resumeAll({}, operator('ops_1')))).filter(({ ok }) => ok),
  list: async ({ runtime }) => (await runtime.sessions.list()).slice(1),
  'list by mode': async ({ runtime }) =>
    (await runtime.sessions.list({ mode: 'standard' })).filter(({ runId }) => runId !== 'run_first_2'),
  verify: async ({ runtime }) => {
    const { runs, damaged: found } = await runtime.records.verify();
    return Array.from({ length: runs - new Set(found.map(({ run_id }) => run_id)).size });
  },
};

const loops: Attack = {
  name: 'one damaged session stops another loop over sessions',
  run: async ({ attempt }) => {
    for (const [name, loop] of Object.entries(LOOPS)) {
      await attempt(name, () => onDamaged(ANY, async (later) => equal((await loop(later)).length, 2)));
    }
  },
};

const inbox: Attack = {
  name: 'one damaged packet hides every gate',
  run: async ({ attempt }) => {
    const tool = { approval_mode: 'destructive', side_effect: true, gates: ['GATE_A'], produces: ['done'] } as const;
    const plan = planOf([{ id: 'p', tool: 'pay', requires: ['GATE_A'] }]);
    for (const text of ["'junk'", "'{}'", "x'00'"]) {
      await attempt(text, async () => {
        const file = sharedFile();
        const bench = file.open('first', { tools: { pay: tool }, plans: [plan, plan] });
        const [one, two] = [await bench.invoke(), await bench.invoke()];
        file.edit(`update blobs set text = ${text} where address = '${one.pending[0]?.packetHash}'`);
        const { groups, damaged: unread } = await bench.runtime.gates.list();
        await bench.runtime.close();
        file.remove();
        deepEqual(
          unread.map(({ gate }) => gate.session_id),
          [one.runId],
        );
        deepEqual(
          groups.flatMap(({ items }) => items.map(({ gate }) => gate.session_id)),
          [two.runId],
        );
      });
    }
  },
};

const gateRows: Attack = {
  name: 'one damaged row of a gate hides every gate',
  run: async ({ attempt }) => {
    const tool = { approval_mode: 'destructive', side_effect: true, gates: ['GATE_A'], produces: ['done'] } as const;
    const plan = planOf([{ id: 'p', tool: 'pay', requires: ['GATE_A'] }]);
    for (const change of ['expires_at = 9223372036854775807', 'opened_at = -9223372036854775807']) {
      await attempt(change, async () => {
        const file = sharedFile();
        const bench = file.open('first', { tools: { pay: tool }, plans: [plan, plan] });
        const [one, two] = [await bench.invoke(), await bench.invoke()];
        file.edit(`update gates set ${change} where session_id = '${one.runId}'`);
        const { groups, damaged: unread } = await bench.runtime.gates.list();
        await bench.runtime.close();
        file.remove();
        deepEqual(
          [unread, groups.flatMap(({ items }) => items)].map((list) => list.map(({ gate }) => gate.session_id)),
          [[one.runId], [two.runId]],
        );
      });
    }
  },
};

const drivers: Attack = {
  name: 'one damaged row of a driver keeps every session from being driven',
  run: async ({ attempt }) => {
    for (const column of ['pid', 'since', 'until']) {
      await attempt(column, () =>
        onDamaged(`update drivers set ${column} = 9223372036854775807`, async ({ runtime, settle }) => {
          const resumed = await settle(runtime.sessions.resumeAll({}, operator('ops_1')));
          deepEqual(
            resumed.map(({ ok }) => ok),
            [true, true, true],
          );
        }),
      );
    }
  },
};

const stopping: Attack = {
  name: 'a session that never ends keeps the process from ending',
  run: async ({ attempt }) => {
    for (const [stopWithinMs, count] of [
      [0, 1],
      [5_000, 1],
      [30_000, 3],
    ] as const) {
      await attempt(`${count} sessions, ${stopWithinMs} ms`, async () => {
        const tools = { work: { timeout_ms: 3_600_000, execute: neverAnswers } };
        const plans = Array.from({ length: count }, () => planOf([{ id: 's1', tool: 'work' }]));
        const bench = rig({ tools, plans });
        for (const _ of plans) void bench.runtime.invoke({ ...REQUEST });
        while (bench.dispatches.length < count) await passTurns(1);
        const later = restartProcess(bench, { tools, plans: [] });
        const stop = new AbortController();
        const serving = later.runtime.serve({ signal: stop.signal, stopWithinMs });
        while (later.dispatches.length < count) await passTurns(1);
        const stoppedAt = later.clock.nowMs();
        stop.abort();
        await rejects(later.settle(serving), ({ code, message }: Error & { code: string }) => {
          equal(code, 'serve_unfinished');
          match(message, new RegExp(`^${stopWithinMs} ms after the stop, run_1`));
          return true;
        });
        equal(later.clock.nowMs() - stoppedAt <= stopWithinMs, true);
      });
    }
  },
};

const lanes: Attack = {
  name: 'a damaged lane keeps its cancelled parent open',
  run: async ({ attempt }) => {
    for (const events of ['[]', 'junk']) {
      await attempt(events, async () => {
        const disk = memoryDisk();
        const waiting = await openProcess(disk, true).invoke();
        const laneId = waiting.lanes[0]?.runId ?? '';
        await cancelAndDie(disk, waiting.runId);
        disk.frames.set(
          laneId,
          (disk.frames.get(laneId) ?? []).map((frame) => ({ ...frame, events })),
        );
        const server = openProcess(disk, false);
        await serveAt(server, START_MS + 100_000);
        const [row] = await server.journal.list({ session: waiting.runId });
        equal(row?.terminal_code, 'USER_CANCEL');
      });
    }
  },
};

export const serve: Battery = {
  name: 'serve',
  attacks: [damaged, callbacks, loops, inbox, gateRows, drivers, stopping, lanes],
};
