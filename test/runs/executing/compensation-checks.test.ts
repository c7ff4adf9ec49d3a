/** Tests that a compensation passes the same checks as a call: inner tool, probe, output schema and gates. */
import { describe, expect, test } from 'vitest';
import { memoryJournal } from '../../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import type { JsonObject } from '../../../src/model/json/json.ts';
import type { Journal } from '../../../src/ports/journal/journal.ts';
import { eventsOf } from '../endings/turns.ts';
import { before, kernelOf, offer } from '../graphs/kernel.ts';
import { neverAnswers, planOf, REQUEST, type Rig, type RigOptions, type RigTool, rig } from '../rig.ts';
import { restartProcess } from './crashed-process.ts';
import { acts, CANCEL } from './undo-bench.ts';

const book = (changes: RigTool = {}): RigTool =>
  acts({
    probes: { compensate: 'unbook' },
    probing: { compensate: { args: ({ args, result }) => ({ room: args['room'] ?? '', ...(result as JsonObject) }) } },
    output_schema: { type: 'object', required: ['id'] },
    execute: () => ({ id: 'b_1' }),
    ...changes,
  });

const FINISH = acts({ approval_mode: 'network', gates: ['GATE_FINISH'], produces: ['done'] });

function hotel(
  tools: Readonly<Record<string, RigTool>>,
  first: JsonObject = { tool: 'book', room: 'blue' },
): RigOptions {
  const { tool, ...params } = first;
  return {
    tools: { book: book(), unbook: acts(), finish: FINISH, ...tools },
    plans: [
      planOf([
        { id: 's1', tool: String(tool), params },
        { id: 's2', tool: 'finish', depends_on: ['s1'], requires: ['GATE_FINISH'] },
      ]),
    ],
  };
}

async function abandoned(bench: Rig): ReturnType<Rig['invoke']> {
  await bench.invoke();
  return await bench.settle(bench.runtime.sessions.send('run_1', CANCEL));
}

const unbooked = ({ dispatches }: Rig) => dispatches.filter(({ tool }) => tool === 'unbook');

test('compensates a dispatcher call as its inner tool declares, with the arguments of the inner tool', async () => {
  const run: RigTool = { unwrap: { tool: '/name', args: '/with' }, execute: () => ({ id: 'b_1' }) };
  const bench = rig(hotel({ run }, { tool: 'run', name: 'book', with: { room: 'blue' } }));
  const ended = await abandoned(bench);
  expect(unbooked(bench).map(({ args }) => args)).toEqual([{ room: 'blue', id: 'b_1' }]);
  expect(ended.record?.effects).toMatchObject([{ tool: 'run', compensation: 'unbook', outcome: 'rolled_back' }]);
  await bench.runtime.records.replay('run_1');
});

describe('a verify probe of a compensation', () => {
  const watched = (look: RigTool): RigOptions =>
    hotel({
      unbook: acts({
        probes: { verify: 'look' },
        probing: { verify: { args: ({ args }) => args, expect: (_, found) => (found as JsonObject)['gone'] === true } },
      }),
      look,
    });

  test.each([
    [true, 'rolled_back', 'taken_back'],
    [false, 'unknown', 'not_confirmed'],
  ] as const)('decides the outcome: gone is %s', async (gone, outcome, reason) => {
    const bench = rig(watched({ execute: () => ({ gone }) }));
    const run = await abandoned(bench);
    expect(bench.dispatches.map(({ tool }) => tool)).toEqual(['book', 'unbook', 'look']);
    expect(run.record?.effects).toMatchObject([{ step_id: 's1', outcome, reason }]);
    expect(run.record?.rollback_spent).toMatchObject({ calls: 2 });
    await bench.runtime.records.replay('run_1');
  });

  test('is repeated by the process that takes over, and nothing is compensated twice', async () => {
    const asked = Promise.withResolvers<void>();
    const first = rig(
      watched({
        execute: async (...call) => {
          asked.resolve();
          return await neverAnswers(...call);
        },
      }),
    );
    await first.invoke();
    void first.runtime.sessions.send('run_1', CANCEL);
    await asked.promise;
    const next = restartProcess(first, watched({ execute: () => ({ gone: true }) }));
    const run = await next.settle(next.runtime.resume('run_1'));
    expect(next.dispatches.map(({ tool }) => tool)).toEqual(['look']);
    expect(run.record?.effects).toMatchObject([{ outcome: 'rolled_back', reason: 'taken_back' }]);
    await next.runtime.records.replay('run_1');
  });
});

test.each([
  ['and fits the output schema is compensated', { id: 'b_1' }, 1, { outcome: 'rolled_back' }],
  [
    'and breaks the output schema is listed as unknown',
    { what: 7 },
    0,
    { outcome: 'unknown', reason: 'tool_result_invalid' },
  ],
] as const)('an answer that arrives during the cancel %s', async (_, answer, calls, effect) => {
  const answered = Promise.withResolvers<JsonObject>();
  const started = Promise.withResolvers<void>();
  const slow = book({
    execute: () => {
      started.resolve();
      return answered.promise;
    },
  });
  const store = memoryJournal({ hash: sha256 });
  // The answer arrives while the cancel is appended: too late to be processed first, too early to be aborted.
  const journal: Journal = {
    ...store,
    append: async (append) => {
      if (append.frame.events.includes(CANCEL.type)) {
        answered.resolve(answer);
        await new Promise(setImmediate);
      }
      return await store.append(append);
    },
  };
  const bench = rig({ ...hotel({ book: slow }), world: { journal } });
  const running = bench.runtime.invoke(REQUEST);
  await started.promise;
  const cancelled = bench.runtime.sessions.send('run_1', CANCEL);
  await bench.settle(running);
  const run = await bench.settle(cancelled);
  expect(run).toMatchObject({ status: 'cancelled', terminalCode: 'USER_CANCEL' });
  expect(unbooked(bench)).toHaveLength(calls);
  expect(run.record?.effects).toMatchObject([{ step_id: 's1', tool: 'book', ...effect }]);
  await bench.runtime.records.replay('run_1');
});

test('rejects a recorded clearance of a compensation that needs an approval and has no gate', async () => {
  const { probing: _, ...plain } = book();
  const options = hotel({ book: plain, unbook: acts({ approval_mode: 'network' }) });
  const bench = rig(options);
  const run = await abandoned(bench);
  expect(unbooked(bench)).toEqual([]);
  expect(run.record?.effects).toMatchObject([{ outcome: 'stands', reason: 'approval_missing' }]);
  const events = await bench.events('run_1');
  const refused = eventsOf(events, 'step_refused').at(-1);
  const proposed = eventsOf(events, 'compensation_proposed').at(-1);
  if (refused === undefined || proposed?.args == null) throw new Error('no compensation was refused');
  const env = kernelOf(options);
  const state = before(env, events, 'step_refused');
  const { current } = state;
  const forged = {
    type: 'step_cleared' as const,
    at: refused.at,
    step_id: refused.step_id,
    args: proposed.args,
    args_hash: current?.argsHash ?? '',
    mode: 'network' as const,
  };
  expect(offer(env, state, { ...forged, gates: [] })[2]?.message).toContain('nobody is asked about');
  expect(offer(env, state, { ...forged, gates: ['GATE_ANY'] })[2] ?? null).toBeNull();
});

test('lists a call that was aborted after its dispatch as unknown and explains it', async () => {
  const started = Promise.withResolvers<void>();
  const slow = book({
    execute: () => {
      started.resolve();
      return new Promise<never>(() => undefined);
    },
  });
  const bench = rig(hotel({ book: slow }));
  const running = bench.runtime.invoke(REQUEST);
  await started.promise;
  const cancelled = bench.runtime.sessions.send('run_1', CANCEL);
  await bench.settle(running);
  const run = await bench.settle(cancelled);
  expect(run).toMatchObject({ status: 'cancelled', terminalCode: 'USER_CANCEL' });
  expect(run.record?.effects).toMatchObject([{ tool: 'book', outcome: 'unknown', reason: 'call_in_doubt' }]);
  expect(run.why.join(' ')).toContain('book (step');
  expect(run.why.join(' ')).toContain('may have taken effect');
  await bench.runtime.records.replay('run_1');
});
