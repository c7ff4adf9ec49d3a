/** Whoever finds out what became of a call in doubt can say so: it is not made again, and what they say is verified. */
import { expect, test } from 'vitest';
import type { Json } from '../../../src/model/json.ts';
import { eventsOf } from '../endings/turns.ts';
import { diesAt, nextLife } from '../executing/lives.ts';
import { operator, planOf, type Rig, type RigOptions, rig, silent } from '../rig.ts';

const PAY: RigOptions = {
  tools: {
    pay: {
      approval_mode: 'local_write',
      side_effect: true,
      retries_max: 0,
      idempotency: { kind: 'none' },
      output_schema: { type: 'object', required: ['receipt'], properties: { receipt: { type: 'string' } } },
      execute: silent,
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

async function say(bench: Rig, runId: string, result: Json, decision: 'continue' | 'finalize' = 'continue') {
  const { handoverHash } = await bench.runtime.outcome(runId);
  const said = { credential: operator('ana'), reason: 'I called the bank', packetHash: handoverHash ?? '' };
  return await bench.settle(bench.runtime.decideEscalation(runId, { decision, ...said, happened: { result } }));
}

test('the run goes on with what the person found, which is on record under their name, and nothing is sent twice', async () => {
  const { bench, runId } = await inDoubt();
  expect(await say(bench, runId, { receipt: 'r-1' })).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(bench.dispatches.map(({ tool, args }) => [tool, args])).toEqual([
    ['pay', { amount: 5 }],
    ['finish', { receipt: 'r-1' }],
  ]);
  const [decided] = eventsOf(await bench.events(runId), 'escalation_decided');
  expect(decided).toMatchObject({ by: 'ana', happened: { result: { receipt: 'r-1' } } });
  const [paid] = await bench.journal.effects(runId);
  expect(paid).toMatchObject({ tool: 'pay', state: 'settled' });
  expect(JSON.parse(await bench.journal.blob(paid?.result ?? 'sha256:'))).toEqual({ receipt: 'r-1' });
  await bench.runtime.replay(runId);
});

test('trace, account, observation and transcripts say that it happened, and whose word that is', async () => {
  const { bench, runId } = await inDoubt();
  await say(bench, runId, { receipt: 'r-1' });
  const { runtime } = bench;
  const [paid, finished] = (await runtime.trace(runId)).tool_calls;
  expect(paid).toMatchObject({ tool: 'pay', result_status: 'ok', said_by: 'ana' });
  expect(finished).not.toHaveProperty('said_by');
  expect(await runtime.account(runId)).toContain('called pay (ok, said by ana) then finish (ok),');
  const told = { call_id: paid?.request_id, raw: { receipt: 'r-1' }, detail: 'said by ana' };
  expect(await runtime.observation(runId, paid?.observation ?? '')).toMatchObject({ ...told, outcome: 'happened' });
  const results = (await runtime.transcripts(runId)).map(({ result }) => result);
  expect(results).toContainEqual(expect.objectContaining({ ...told, outcome: 'ok' }));
});

test('what a gate rests on is what the person said, and can be looked up', async () => {
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
  const { pending } = await say(bench, runId, { receipt: 'r-1' });
  const packet = (await bench.runtime.packet(pending[0]?.packetHash ?? '')) as {
    readonly evidence?: readonly { readonly address: string }[];
  };
  const at = packet.evidence?.[0]?.address ?? '';
  expect(await bench.runtime.evidence(at)).toMatchObject({ source: 'pay', value: { receipt: 'r-1' } });
});

test('what a process was calling when it died is handed over, with its arguments, until somebody has said what became of it', async () => {
  const options: RigOptions = { ...PAY, tools: { ...PAY.tools, pay: { ...PAY.tools?.['pay'], execute: () => null } } };
  const bench = nextLife(await diesAt('pay', options), { ...options, plans: [] });
  const { runId, suspended } = await bench.settle(bench.runtime.resume('run_1'));
  expect(suspended).toMatchObject({ reason: 'call_in_doubt' });
  const handoff = await bench.runtime.handoff(runId);
  expect(handoff).toMatchObject({
    transcripts: [],
    unheard: [{ call_id: 'call_1', tool: 'pay', args: { amount: 5 } }],
  });
  expect(handoff?.unheard[0]?.idempotency_key).toBe(suspended?.detail?.['idempotency_key']);
  bench.clock.advanceTo(Number(suspended?.detail?.['settled_by']));
  await say(bench, runId, { receipt: 'r-1' });
  expect(await bench.runtime.handoff(runId)).toMatchObject({ unheard: [] });
});

test('whoever has to find out is told what to look for, and from when on they can say it', async () => {
  const { bench, runId } = await inDoubt();
  const { why, suspended } = await bench.runtime.outcome(runId);
  const { idempotency_key, settled_by } = suspended?.detail ?? {};
  expect(why).toEqual([
    expect.stringMatching(
      new RegExp(`^pay \\(step s1, call_1\\) may have had its effect.* ${String(idempotency_key)}$`),
    ),
    expect.stringContaining(`from ${new Date(Number(settled_by)).toISOString()} on`),
  ]);
});

test('what the tool could not have answered is not taken: the call is in doubt as before', async () => {
  const { bench, runId } = await inDoubt();
  await expect(say(bench, runId, { paid: true })).rejects.toMatchObject({
    path: '/happened',
    message: expect.stringContaining('receipt'),
  });
  expect(await bench.runtime.outcome(runId)).toMatchObject({ suspended: { reason: 'call_in_doubt' } });
  expect(bench.dispatches).toHaveLength(1);
  expect(await say(bench, runId, { receipt: 'r-2' })).toMatchObject({ terminalCode: 'SUCCESS' });
  await bench.runtime.replay(runId);
});

test('a probe that verifies the tool looks at it, too', async () => {
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
  expect(await say(bench, runId, { receipt: 'r-3' })).toMatchObject({ terminalCode: 'SUCCESS' });
  expect(seen).toHaveLength(1);
  // Until the probe has looked it is an observation like any other, and says whose word it is.
  const decided = (await bench.runtime.replay(runId)).turns.find(({ events }) =>
    events.some(({ type }) => type === 'escalation_decided'),
  );
  expect(decided?.state.current?.observed).toMatchObject({ raw: { receipt: 'r-3' }, detail: 'said by ana' });
});

test('what was set aside for a call whose answer was lost with its process counts as spent, whoever finds out', async () => {
  const cost = { input_tokens: 40, output_tokens: 7, microusd: 250 };
  const tools = { ...PAY.tools, pay: { ...PAY.tools?.['pay'], cost, execute: () => null } };
  const options: RigOptions = { ...PAY, tools };
  const bench = nextLife(await diesAt('pay', options), { ...options, plans: [] });
  const { runId, suspended } = await bench.settle(bench.runtime.resume('run_1'));
  const budget = async () => (await bench.runtime.replay(runId)).state.budget;
  const aside = { input_tokens: 40, output_tokens: 7, cost_microusd: 250, tool_calls: 1, side_effects: 1 };
  expect(await budget()).toMatchObject({ used: { input_tokens: 0, tool_calls: 0 }, reserved: aside });
  bench.clock.advanceTo(Number(suspended?.detail?.['settled_by']));
  expect(await say(bench, runId, { receipt: 'r-1' })).toMatchObject({ terminalCode: 'SUCCESS' });
  const after = await budget();
  // The second call costs nothing but itself.
  expect(after?.used).toMatchObject({ ...aside, tool_calls: 2 });
  expect(after?.reserved).toMatchObject({ input_tokens: 0, output_tokens: 0, cost_microusd: 0, tool_calls: 0 });
});

test('it cannot be said too early, with another decision, or about anything else', async () => {
  const bench = rig(PAY);
  const { runId } = await bench.invoke();
  await expect(say(bench, runId, { receipt: 'r' })).rejects.toMatchObject({ code: 'input_invalid', path: '/happened' });
  const later = await inDoubt();
  await expect(say(later.bench, later.runId, {}, 'finalize')).rejects.toMatchObject({ path: '/happened' });
  const unplanned = rig({ ...PAY, plans: [{ no: 1 }, { no: 2 }, { no: 3 }] });
  const stuck = await unplanned.invoke();
  await expect(say(unplanned, stuck.runId, {})).rejects.toMatchObject({ path: '/happened' });
});
