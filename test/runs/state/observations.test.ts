/** Observations are append-only. */
import { expect } from 'vitest';
import { sha256 } from '../../../src/adapters/node/ids-and-hash.ts';
import { sealFrame } from '../../../src/model/events/frame.ts';
import { verifies } from '../../requirements/verifies.ts';
import { waitingAtGate } from '../boundary/waiting.ts';
import { fold, kernelOf, offer } from '../graphs/kernel.ts';
import { eventsOfType, firstEvent } from '../grounding/recorded-events.ts';
import { neverAnswers, planOf, type RigOptions, rig } from '../rig.ts';

const ID = 'state:observations:append-only';

verifies(ID, 'records kind and content of a success, a failure and a timeout', async () => {
  let calls = 0;
  const options: RigOptions = {
    tools: {
      read: {
        retries_max: 2,
        execute: (args, context) => {
          calls += 1;
          if (calls === 1) throw new Error('down');
          return calls === 2 ? neverAnswers(args, context) : { found: 7 };
        },
      },
      finish: { produces: ['done'] },
    },
    plans: [
      planOf([
        { id: 'a', tool: 'read' },
        { id: 'b', tool: 'finish', depends_on: ['a'] },
      ]),
    ],
  };
  const bench = rig(options);
  const { runId } = await bench.invoke();
  expect(eventsOfType(await bench.events(runId), 'step_observed')).toMatchObject([
    { call_id: 'call_1', outcome: 'error', raw: null, detail: 'down' },
    { call_id: 'call_2', outcome: 'timeout', raw: null },
    { call_id: 'call_3', outcome: 'ok', raw: { found: 7 } },
    { call_id: 'call_4', outcome: 'ok', raw: { ok: true } },
  ]);
});

verifies(ID, 'an observation cannot be replaced or removed', async () => {
  const plans = [
    planOf([
      { id: 'r', tool: 'read' },
      { id: 'a', tool: 'pay', depends_on: ['r'], requires: ['GATE_A'] },
    ]),
  ];
  const tools = { read: { execute: () => ({ found: 7 }) }, pay: { produces: ['done'], gates: ['GATE_A'] } };
  const options: RigOptions = {
    tools: { ...tools, pay: { ...tools.pay, approval_mode: 'destructive', side_effect: true } },
    plans,
  };
  const { bench } = await waitingAtGate(options);
  const events = await bench.events('run_1');
  const env = kernelOf(options);
  const state = fold(env, events).at(-1);
  if (state === undefined) throw new Error('the run has no states');
  const { at: _, ...observed } = firstEvent(events, 'step_observed');
  const forged = { ...observed, raw: { found: 8 } };
  expect(offer(env, state, forged)[0]).toBe(state);
  await expect(bench.runtime.sessions.send('run_1', forged)).rejects.toMatchObject({ code: 'event_illegal' });

  const frames = await bench.runtime.records.frames('run_1');
  const frame = frames.find(({ events: text }) => text.includes('"step_observed"'));
  const [row] = await bench.journal.list({});
  if (frame === undefined || row === undefined) throw new Error('nothing stored');
  const edited = sealFrame({ ...frame, events: frame.events.replace('"found":7', '"found":8') }, sha256);
  const session = { ...row, seq: edited.seq, head_hash: edited.hash };
  const projections = { session, gates: [], effects: [], grants: [], intents: [], checkpoints: [] };
  const append = {
    session: 'run_1',
    expectedSeq: frame.seq - 1,
    frame: edited,
    blobs: [],
    projections,
    writer: frame.writer,
  };
  await expect(bench.journal.append(append)).rejects.toMatchObject({ code: 'fenced' });
  expect(await bench.events('run_1')).toEqual(events);
});
