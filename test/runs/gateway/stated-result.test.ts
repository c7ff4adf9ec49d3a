/**
 * Tests that a person can state the result of a call in doubt: the call is not repeated, and the stated result is
 * validated.
 */
import { expect, test } from 'vitest';
import type { Json } from '../../../src/model/json/json.ts';
import { eventsOf } from '../endings/turns.ts';
import { crashDuringCall, restartProcess } from '../executing/crashed-process.ts';
import { neverAnswers, operator, planOf, type Rig, type RigOptions, rig } from '../rig.ts';

const PAY: RigOptions = {
  tools: {
    pay: {
      approval_mode: 'local_write',
      side_effect: true,
      retries_max: 0,
      idempotency: { kind: 'none' },
      output_schema: { type: 'object', required: ['receipt'], properties: { receipt: { type: 'string' } } },
      execute: neverAnswers,
    },
    finish: { produces: ['done'] },
  },
  plans: [
    planOf([
      { id: 's1', tool: 'pay', params: { amount: 5 } },
      { id: 's2', tool: 'finish', params: { receipt: { $from: 's1', path: '/receipt' } }, depends_on: ['s1'] },
    ]),
  ],
};

async function inDoubt(options: RigOptions = PAY): Promise<{ readonly bench: Rig; readonly runId: string }> {
  const bench = rig(options);
  const { runId, suspended } = await bench.invoke();
  expect(suspended).toMatchObject({ reason: 'call_in_doubt' });
  bench.clock.advanceTo(Number(suspended?.detail?.['settled_by']));
  return { bench, runId };
}

async function stateResult(bench: Rig, runId: string, result: Json, decision: 'continue' | 'finalize' = 'continue') {
  const { handoverHash } = await bench.runtime.sessions.get(runId);
  const statement = { credential: operator('ana'), reason: 'I called the bank', packetHash: handoverHash ?? '' };
  return await bench.settle(
    bench.runtime.sessions.decideEscalation(runId, { decision, ...statement, happened: { result } }),
  );
}

test('continues with the result that a person states, records their name, and sends nothing twice', async () => {
  const { bench, runId } = await inDoubt();
  expect(await stateResult(bench, runId, { receipt: 'r-1' })).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(bench.dispatches.map(({ tool, args }) => [tool, args])).toEqual([
    ['pay', { amount: 5 }],
    ['finish', { receipt: 'r-1' }],
  ]);
  const [decided] = eventsOf(await bench.events(runId), 'escalation_decided');
  expect(decided).toMatchObject({ by: 'ana', happened: { result: { receipt: 'r-1' } } });
  const [paid] = await bench.journal.effects(runId);
  expect(paid).toMatchObject({ tool: 'pay', state: 'settled' });
  expect(JSON.parse(await bench.journal.blob(paid?.result ?? 'sha256:'))).toEqual({ receipt: 'r-1' });
  await bench.runtime.records.replay(runId);
});

test('shows in trace, account, observation and transcripts that the call happened, and who stated it', async () => {
  const { bench, runId } = await inDoubt();
  await stateResult(bench, runId, { receipt: 'r-1' });
  const { runtime } = bench;
  const [paid, finished] = (await runtime.records.trace(runId)).tool_calls;
  expect(paid).toMatchObject({ tool: 'pay', result_status: 'ok', said_by: 'ana' });
  expect(finished).not.toHaveProperty('said_by');
  expect(await runtime.records.account(runId)).toContain('called pay (ok, said by ana) then finish (ok),');
  const stated = { call_id: paid?.request_id, raw: { receipt: 'r-1' }, detail: 'said by ana' };
  expect(await runtime.records.observation(runId, paid?.observation ?? '')).toMatchObject({
    ...stated,
    outcome: 'happened',
  });
  const results = (await runtime.records.transcripts(runId)).map(({ result }) => result);
  expect(results).toContainEqual(expect.objectContaining({ ...stated, outcome: 'ok' }));
});

test('the stated result serves as evidence of a later gate and can be looked up', async () => {
  const { bench, runId } = await inDoubt({
    ...PAY,
    tools: {
      ...PAY.tools,
      finish: { approval_mode: 'network', side_effect: true, gates: ['GATE_FINISH'], produces: ['done'] },
    },
    plans: [
      planOf([
        { id: 's1', tool: 'pay', params: { amount: 5 } },
        {
          id: 's2',
          tool: 'finish',
          params: { receipt: { $from: 's1', path: '/receipt' } },
          depends_on: ['s1'],
          requires: ['GATE_FINISH'],
        },
      ]),
    ],
  });
  const { pending } = await stateResult(bench, runId, { receipt: 'r-1' });
  const packet = (await bench.runtime.gates.packet(pending[0]?.packetHash ?? '')) as {
    readonly evidence?: readonly { readonly address: string }[];
  };
  const at = packet.evidence?.[0]?.address ?? '';
  expect(await bench.runtime.gates.evidence(at)).toMatchObject({ source: 'pay', value: { receipt: 'r-1' } });
});

test('the handoff lists a call interrupted by a crash, with its arguments, until a person states its result', async () => {
  const options: RigOptions = { ...PAY, tools: { ...PAY.tools, pay: { ...PAY.tools?.['pay'], execute: () => null } } };
  const bench = restartProcess(await crashDuringCall('pay', options), { ...options, plans: [] });
  const { runId, suspended } = await bench.settle(bench.runtime.resume('run_1'));
  expect(suspended).toMatchObject({ reason: 'call_in_doubt' });
  const handoff = await bench.runtime.records.handoff(runId);
  expect(handoff).toMatchObject({
    transcripts: [],
    unheard: [{ call_id: 'call_1', tool: 'pay', args: { amount: 5 } }],
  });
  expect(handoff?.unheard[0]?.idempotency_key).toBe(suspended?.detail?.['idempotency_key']);
  bench.clock.advanceTo(Number(suspended?.detail?.['settled_by']));
  await stateResult(bench, runId, { receipt: 'r-1' });
  expect(await bench.runtime.records.handoff(runId)).toMatchObject({ unheard: [] });
});

test('the outcome says which call to look up and from when on its result can be stated', async () => {
  const { bench, runId } = await inDoubt();
  const { why, suspended } = await bench.runtime.sessions.get(runId);
  const { idempotency_key, settled_by } = suspended?.detail ?? {};
  expect(why).toEqual([
    expect.stringMatching(
      new RegExp(
        `^pay \\(step s1, call_1\\) returned no result and may have taken effect.* ${String(idempotency_key)}$`,
      ),
    ),
    expect.stringContaining(`from ${new Date(Number(settled_by)).toISOString()} on`),
  ]);
});

test('rejects a stated result that breaks the output schema, and the call stays in doubt', async () => {
  const { bench, runId } = await inDoubt();
  await expect(stateResult(bench, runId, { paid: true })).rejects.toMatchObject({
    path: '/happened',
    message: expect.stringContaining('receipt'),
  });
  expect(await bench.runtime.sessions.get(runId)).toMatchObject({ suspended: { reason: 'call_in_doubt' } });
  expect(bench.dispatches).toHaveLength(1);
  expect(await stateResult(bench, runId, { receipt: 'r-2' })).toMatchObject({ terminalCode: 'SUCCESS' });
  await bench.runtime.records.replay(runId);
});

test('a verify probe checks a stated result, too', async () => {
  const seen: Json[] = [];
  const probing = { verify: { probe: 'look', args: () => ({}), expect: () => true } };
  const { tools = {} } = PAY;
  const { bench, runId } = await inDoubt({
    ...PAY,
    tools: {
      ...tools,
      pay: { ...tools['pay'], probes: { verify: 'look' }, probing },
      look: {
        execute: () => {
          seen.push('looked');
          return { ok: true };
        },
      },
    } as RigOptions['tools'] & object,
  });
  expect(await stateResult(bench, runId, { receipt: 'r-3' })).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(seen).toHaveLength(1);
  // Before the probe has run, the result is an observation like any other and names the person who stated it.
  const decided = (await bench.runtime.records.replay(runId)).turns.find(({ events }) =>
    events.some(({ type }) => type === 'escalation_decided'),
  );
  expect(decided?.state.current?.observed).toMatchObject({ raw: { receipt: 'r-3' }, detail: 'said by ana' });
});

test('the reserved budget of a call whose answer was lost in a crash counts as spent once a person states its result', async () => {
  const cost = { input_tokens: 40, output_tokens: 7, microusd: 250 };
  const tools = { ...PAY.tools, pay: { ...PAY.tools?.['pay'], cost, execute: () => null } };
  const options: RigOptions = { ...PAY, tools };
  const bench = restartProcess(await crashDuringCall('pay', options), { ...options, plans: [] });
  const { runId, suspended } = await bench.settle(bench.runtime.resume('run_1'));
  const budget = async () => (await bench.runtime.records.replay(runId)).state.budget;
  const reserved = { input_tokens: 40, output_tokens: 7, cost_microusd: 250, tool_calls: 1, side_effects: 1 };
  expect(await budget()).toMatchObject({ used: { input_tokens: 0, tool_calls: 0 }, reserved });
  bench.clock.advanceTo(Number(suspended?.detail?.['settled_by']));
  expect(await stateResult(bench, runId, { receipt: 'r-1' })).toMatchObject({ terminalCode: 'SUCCESS' });
  const after = await budget();
  // The second call adds only one tool call.
  expect(after?.used).toMatchObject({ ...reserved, tool_calls: 2 });
  expect(after?.reserved).toMatchObject({ input_tokens: 0, output_tokens: 0, cost_microusd: 0, tool_calls: 0 });
});

test('rejects a stated result that comes too early, with another decision, or without a call in doubt', async () => {
  const bench = rig(PAY);
  const { runId } = await bench.invoke();
  await expect(stateResult(bench, runId, { receipt: 'r' })).rejects.toMatchObject({
    code: 'input_invalid',
    path: '/happened',
  });
  const later = await inDoubt();
  await expect(stateResult(later.bench, later.runId, {}, 'finalize')).rejects.toMatchObject({ path: '/happened' });
  const unplanned = rig({ ...PAY, plans: [{ no: 1 }, { no: 2 }, { no: 3 }] });
  const stuck = await unplanned.invoke();
  await expect(stateResult(unplanned, stuck.runId, {})).rejects.toMatchObject({ path: '/happened' });
});
